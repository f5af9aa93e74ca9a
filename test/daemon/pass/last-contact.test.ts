import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { MemberCluster } from '../../../src/api/member-cluster.ts';
import type { ClusterObservation } from '../../../src/api/observation.ts';
import { lastContacts } from '../../../src/daemon/pass/last-contact.ts';
import type { UnreachableMember } from '../../../src/repo/record/daemon-memory.ts';
import { wholeSeconds } from '../../../src/report/whole-seconds.ts';
import { member, placement } from '../../support/paper-fleet.ts';
import { settledFleet } from '../../support/small-fleet.ts';
import type { VirtualDaemon, VirtualFleet } from '../../support/virtual-fleet.ts';

const open: VirtualFleet[] = [];
afterEach(() => {
  for (const fleet of open.splice(0)) fleet.close();
});

interface Summary {
  readonly unreachable?: Readonly<Record<string, string>>;
  readonly lastContact?: Readonly<Record<string, string>>;
}

const summary = async (fleet: VirtualFleet): Promise<Summary> =>
  parse((await fleet.repo.files('fleet-status'))['summary.yaml']!) as Summary;

let asked = 0;

/** The clusters that get new placements, and the reasons for the others. */
async function placedNow(fleet: VirtualFleet, daemon: VirtualDaemon): Promise<Record<string, string>> {
  const name = `new-${asked++}`;
  fleet.commit({ [`placements/${name}.yaml`]: placement(name, '{placementType: PickAll}') });
  await fleet.until('it is planned', () => daemon.plan().placements.some((placed) => placed.name === name), 10);
  const { decisions } = daemon.plan().placements.find((placed) => placed.name === name)!;
  return Object.fromEntries(
    decisions.map(({ clusterName, selected, reason }) => [clusterName, selected ? 'placed' : reason]),
  );
}

const everywhere = { a: 'placed', b: 'placed', c: 'placed' };
const silentSince = (since: string) => ({
  ...everywhere,
  c: expect.stringContaining(`cluster is not connected to the fleet: no heartbeat since ${since}`),
});
const sinceWhen = async (fleet: VirtualFleet): Promise<string> => (await summary(fleet)).lastContact!['c']!;

async function settled(): ReturnType<typeof settledFleet> {
  const made = await settledFleet();
  open.push(made.fleet);
  return made;
}

describe('after a restart, a member that does not respond', () => {
  it('and that responded to the daemon before counts as reached at the start, and is ineligible five minutes later', async () => {
    const { fleet, one } = await settled();
    one.kill();
    fleet.fault('c', { type: 'Unreachable' });
    await fleet.run(3_600);
    const began = fleet.clock.now();
    const two = fleet.start();
    await fleet.run(280);
    expect(await placedNow(fleet, two)).toEqual(everywhere);
    const since = await sinceWhen(fleet);
    expect((Date.parse(since) - began) / 1000).toBeLessThan(1);
    await fleet.run(20);
    expect(await placedNow(fleet, two)).toEqual(silentSince(since));
  });

  it('and that was unreachable before stays so: the restart changes nothing on the status branch', async () => {
    const { fleet, one } = await settled();
    fleet.fault('c', { type: 'Unreachable' });
    await fleet.run(400);
    const since = await sinceWhen(fleet);
    expect(await placedNow(fleet, one)).toEqual(silentSince(since));
    await fleet.run(30);
    const tip = fleet.repo.tip('fleet-status');
    one.kill();
    const two = fleet.start();
    await fleet.run(400);
    expect(fleet.repo.tip('fleet-status')).toBe(tip);
    expect(await placedNow(fleet, two)).toEqual(silentSince(since));
  });

  it('and that became unreachable shortly before has the rest of its five minutes', async () => {
    const { fleet, one } = await settled();
    fleet.fault('c', { type: 'Unreachable' });
    await fleet.run(180);
    const since = await sinceWhen(fleet);
    one.kill();
    const two = fleet.start();
    await fleet.run(60);
    expect(await placedNow(fleet, two)).toEqual(everywhere);
    await fleet.run(70);
    expect(await placedNow(fleet, two)).toEqual(silentSince(since));
  });

  it('does not get its five minutes again from a daemon that restarts repeatedly', async () => {
    const { fleet, one } = await settled();
    one.kill();
    fleet.fault('c', { type: 'Hang' });
    for (let crash = 0; crash < 11; crash++) {
      const short = fleet.start();
      await fleet.run(30);
      short.kill();
    }
    const since = await sinceWhen(fleet);
    const last = fleet.start();
    await fleet.run(30);
    expect(await placedNow(fleet, last)).toEqual(silentSince(since));
  });

  it('and that is not recorded as joined was never reached', async () => {
    const { fleet, one } = await settled();
    fleet.commit({ 'clusters/d.yaml': member('d') });
    await fleet.run(60);
    one.kill();
    const two = fleet.start();
    await fleet.run(60);
    expect(await placedNow(fleet, two)).toEqual({
      ...everywhere,
      d: expect.stringContaining('it has not responded since gitfleet was started'),
    });
    expect(Object.keys((await summary(fleet)).unreachable!)).toEqual(['d']);
    expect((await summary(fleet)).lastContact).toBeUndefined();
    expect((await fleet.repo.files('fleet-status'))['clusters/d.yaml']).not.toContain('Joined');
  });
});

it('a member that responds with 401 is ineligible after five minutes, like one that is down', async () => {
  const { fleet, one } = await settled();
  fleet.fault('c', { type: 'Unauthorized' });
  await fleet.run(70);
  const tip = fleet.repo.tip('fleet-status');
  await fleet.run(200);
  expect(fleet.repo.tip('fleet-status')).toBe(tip);
  expect(await placedNow(fleet, one)).toEqual(everywhere);
  await fleet.run(40);
  expect(await placedNow(fleet, one)).toEqual(silentSince(await sinceWhen(fleet)));
});

it('the dashboard shows since when a member does not respond', async () => {
  const { fleet } = await settled();
  fleet.fault('b', { type: 'Unreachable' });
  await fleet.run(70);
  const since = wholeSeconds((await summary(fleet)).lastContact!['b']!);
  expect((await fleet.repo.files('fleet-status'))['README.md']).toContain(`- b does not respond since ${since}: `);
});

const unreachable = (lastContact?: string): UnreachableMember => ({
  cause: 'refused',
  ...(lastContact && { lastContact }),
});

describe('the last contact of a member that does not respond is', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  const joined = { agentStatus: [{ type: 'MemberAgent', conditions: [{ type: 'Joined', status: 'True' }] }] };
  const epoch = '1970-01-01T00:00:00Z';
  it.each<[what: string, own: string, recorded: UnreachableMember | undefined, is: string | undefined]>([
    [
      'what this daemon had, if it is later',
      '2026-11-20T11:50:00Z',
      unreachable('2026-11-20T11:40:00Z'),
      '2026-11-20T11:50:00Z',
    ],
    [
      'what another daemon had, if that is later',
      '2026-11-20T11:40:00Z',
      unreachable('2026-11-20T11:50:00Z'),
      '2026-11-20T11:50:00Z',
    ],
    ['the recorded one, if this daemon had none', epoch, unreachable('2026-11-20T11:50:00Z'), '2026-11-20T11:50:00Z'],
    ['never, if it is recorded as unreachable without a time', epoch, unreachable(), undefined],
    ['never, if the recorded one is in the future', epoch, unreachable('2026-11-20T12:00:01Z'), undefined],
    ['never, if the recorded one is not an instant', epoch, unreachable('yesterday'), undefined],
    ['the start of this daemon, if nothing is recorded', epoch, undefined, '2026-11-20T11:59:00Z'],
  ])('%s', (_, own, recorded, is) => {
    const observation = { metadata: { name: 'c' }, observedAt: own, reachable: false, complete: false };
    const contacts = lastContacts({
      members: {
        observations: () => new Map([['c', observation as unknown as ClusterObservation]]),
        unreachable: () => new Map([['c', 'refused']]),
        askedSince: () => new Map([['c', Date.parse('2026-11-20T11:59:00Z')]]),
      },
      recordedUnreachable: new Map(recorded ? [['c', recorded]] : []),
      recorded: new Map([['c', { status: joined } as unknown as MemberCluster]]),
      now,
    });
    expect(contacts.unreachable).toEqual(new Map([['c', { cause: 'refused', ...(is && { lastContact: is }) }]]));
    expect(contacts.observations.get('c')!.observedAt).toBe(is ?? epoch);
  });
});
