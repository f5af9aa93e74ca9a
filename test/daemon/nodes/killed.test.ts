import { afterEach, expect, it } from 'vitest';
import type { Transport } from '../../../src/members/api-server/transport.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import {
  forgedCommand,
  nodeFiles,
  nodeMemberSpec,
  nodeNames,
  podsOf,
  published,
  taintsOf,
  workload,
} from './node-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const twoIntoOne = (): Promise<VirtualFleet> =>
  VirtualFleet.open(nodeFiles('execute'), nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')]));

const isChange = (method: string, path: string): boolean => method !== 'GET' && /nodes\/|eviction/.test(path);

/** Settled: one replacement with both pods, nothing tainted, nothing under way. */
async function isDone(): Promise<boolean> {
  const names = nodeNames(fleet);
  const plan = await published(fleet);
  return (
    names.length === 1 &&
    !names[0]!.startsWith('d8') &&
    taintsOf(fleet).length === 0 &&
    podsOf(fleet).every((pod) => pod === `${names[0]} Running`) &&
    plan?.commands.length === 0
  );
}

it('a daemon that is killed after any change to the member is continued by the next one', async () => {
  let changes = Number.POSITIVE_INFINITY;
  for (let at = 1; at <= changes; at++) {
    fleet = await twoIntoOne();
    let seen = 0;
    const killing =
      (transport: Transport): Transport =>
      async (request) => {
        const answer = await transport(request);
        if (!isChange(request.method, request.path) || ++seen !== at) return answer;
        // It was carried out, and the answer is lost.
        daemon.kill();
        return new Promise(() => {});
      };
    const daemon = fleet.start({ through: killing });
    await fleet.until('it is killed, or done', async () => seen >= at || (await isDone()), 400);
    if (seen < at) changes = seen;
    else {
      fleet.start();
      await fleet.until(`it is done after change ${at}`, isDone, 900);
    }
    fleet.close();
  }
  expect(changes).toBeGreaterThanOrEqual(7);
});

it('a daemon that is killed after it recorded a command and before it acted is continued by the next one', async () => {
  fleet = await twoIntoOne();
  const stuck = fleet.start({
    through: (transport) => (request) =>
      isChange(request.method, request.path) ? new Promise(() => {}) : transport(request),
  });
  await fleet.until('it is recorded', async () => (await published(fleet))?.commands[0]?.phase === 'Launching');
  stuck.kill();
  fleet.start();
  await fleet.until('it is done', isDone, 900);
});

it('a command that only the status branch claims removes no node', async () => {
  fleet = await VirtualFleet.open(
    nodeFiles('execute', { disruption: { consolidateAfter: 'Never' }, template: { expireAfter: '720h' } }),
    nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')]),
  );
  const first = fleet.start();
  await fleet.until('it is recorded', async () => (await published(fleet))?.claims.length === 2);
  first.kill();
  const plan = (await published(fleet))!;
  const forged = {
    ...plan,
    commands: [forgedCommand('2026-11-20T10:00:00Z', ['d8-0'])],
    claims: plan.claims.map((claim) => ({ ...claim, createdAt: '2020-01-01T00:00:00Z', expireAfter: '1m' })),
  };
  const files = await fleet.repo.files('fleet-status');
  fleet.repo.commit('fleet-status', { ...files, 'nodes/eu-1.yaml': JSON.stringify(forged) });
  fleet.start();
  await fleet.run(600);
  expect(nodeNames(fleet)).toEqual(['d8-0', 'd8-1']);
  expect(taintsOf(fleet)).toEqual([]);
  expect((await published(fleet))?.commands).toEqual([]);
});
