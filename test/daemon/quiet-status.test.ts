import { afterEach, describe, expect, it } from 'vitest';
import { suspendedAnnotation } from '../../src/engine/pause/placement-pause.ts';
import { deployment, member, placement } from '../support/paper-fleet.ts';
import { names, settles, smallFleet, web } from '../support/small-fleet.ts';
import { stagedRun } from '../support/staged-run.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

const all = '{placementType: PickAll}';

const frozen = `
apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
metadata: {name: fleet}
spec: {freeze: [{name: always, schedule: '0 9 * * *', duration: 8h}]}
`;

/** Refuses every removal and release. */
const careful = `
apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
metadata: {name: fleet}
spec: {guard: {maxClusters: 0, maxLeaving: 0}}
`;

interface Situation {
  readonly files?: Record<string, string>;
  /** Brings the settled fleet into the situation; returns the next daemon if another one takes over. */
  readonly enter?: (fleet: VirtualFleet, one: VirtualDaemon) => VirtualDaemon | undefined;
  /** Whether the fleet is in the situation, so that the test does not pass without it. */
  readonly entered: (daemon: VirtualDaemon) => boolean;
}

const holds = (one: VirtualDaemon, reason: string): boolean => one.plan().holds.some((hold) => hold.reason === reason);
const refuses = (one: VirtualDaemon): boolean => one.passes.at(-1)!.kind === 'refused';
const replace = (fleet: VirtualFleet, path: string, from: string, to: string): void => {
  const text = fleet.files[path]!;
  expect(text).toContain(from);
  fleet.commit({ [path]: text.replace(from, to) });
};

const situations: Readonly<Record<string, Situation>> = {
  'at rest': { entered: (one) => one.plan().holds.length === 0 },
  'refused, since the repo is empty': {
    enter: (fleet) => void fleet.commit(Object.fromEntries(Object.keys(fleet.files).map((path) => [path, undefined]))),
    entered: refuses,
  },
  'refused, since its resources are gone': {
    enter: (fleet) => void fleet.commit({ 'resources/web.yaml': undefined }),
    entered: refuses,
  },
  'refused, while a cluster and a placement are new': {
    enter: (fleet) =>
      void fleet.commit({
        'fleet.yaml': careful,
        'placements/web.yaml': undefined,
        'resources/other.yaml': deployment('other', 'other', 'other:1'),
        'placements/other.yaml': placement('other', all),
        'clusters/d.yaml': member('d'),
      }),
    entered: refuses,
  },
  'refused, while a run would start': {
    files: stagedRun('{type: TimedWait, waitTime: 1s}'),
    enter: (fleet) =>
      void fleet.commit({
        'fleet.yaml': careful,
        'clusters/a.yaml': undefined,
        'resources/web.yaml': deployment('web', 'web', 'web:2'),
        'run2.yaml': fleet.files['run.yaml']!.replace('web-1', 'web-2'),
      }),
    entered: refuses,
  },
  'refused, while a cluster reports that it is not healthy': {
    enter(fleet) {
      fleet.commit({ 'resources/web.yaml': undefined });
      fleet.fault('b', { type: 'Forbidden' });
      return undefined;
    },
    entered: refuses,
  },
  'refused, without a member that responds': {
    enter(fleet) {
      fleet.commit({ 'resources/web.yaml': undefined });
      fleet.fault('b', { type: 'Unreachable' });
      return undefined;
    },
    entered: refuses,
  },
  'frozen by the calendar': {
    enter: (fleet) => void fleet.commit({ 'fleet.yaml': frozen, ...web('web:2') }),
    entered: (one) => holds(one, 'Freeze'),
  },
  'waiting for approval': {
    files: stagedRun('{type: Approval}'),
    entered: (one) => holds(one, 'WaitingForApproval'),
  },
  'waiting for time': {
    files: stagedRun('{type: TimedWait, waitTime: 1h}'),
    entered: (one) => holds(one, 'WaitingForTime'),
  },
  'without a member that responds': {
    enter: (fleet) => void fleet.fault('b', { type: 'Unreachable' }),
    entered: (one) => one.plan().holds.length === 0,
  },
  'without the member that an update is for': {
    enter(fleet) {
      fleet.fault('b', { type: 'Unreachable' });
      fleet.commit(web('web:2'));
      return undefined;
    },
    entered: (one) => holds(one, 'RolloutBudget'),
  },
  'held at the last good version': {
    enter: (fleet) => void replace(fleet, 'placements/web.yaml', 'PickAll', 'PickSome'),
    entered: (one) => holds(one, 'LastGoodVersion'),
  },
  'without its record, while a member does not respond': {
    enter(fleet, one) {
      one.kill();
      fleet.repo.refs.delete('refs/heads/fleet-status');
      fleet.fault('b', { type: 'Unreachable' });
      return fleet.start({ remote: true });
    },
    entered: (one) => one.plan().targets.length === 2,
  },
  'without its record, while a file is broken': {
    enter(fleet, one) {
      one.kill();
      fleet.repo.refs.delete('refs/heads/fleet-status');
      replace(fleet, 'placements/web.yaml', 'PickAll', 'PickSome');
      return fleet.start({ remote: true });
    },
    entered: (one) => holds(one, 'RecordLost'),
  },
  suspended: {
    enter(fleet) {
      replace(fleet, 'placements/web.yaml', '{name: web}', `{name: web, annotations: {${suspendedAnnotation}: why}}`);
      fleet.commit(web('web:2'));
      return undefined;
    },
    entered: (one) => holds(one, 'Freeze'),
  },
};

let fleet: VirtualFleet;
afterEach(() => fleet.close());

/** Longer than an unreachable member stays eligible. */
const restSeconds = 420;
const status = 'refs/heads/fleet-status';
const published = (): number => fleet.repo.pushes.filter(({ ref }) => ref === status).length;

async function settled(files: Record<string, string>): Promise<VirtualDaemon> {
  fleet = await VirtualFleet.open(files, ...names, 'd');
  const one = fleet.start({ remote: true });
  if (files['run.yaml'] === undefined) await settles(fleet, one);
  else await fleet.run(60);
  return one;
}

describe('planning again, when nothing else has changed, publishes nothing', () => {
  it.each(Object.entries(situations))('%s', async (_, { files = smallFleet(), enter, entered }) => {
    const one = await settled(files);
    const daemon = enter?.(fleet, one) ?? one;
    await fleet.run(restSeconds);
    expect(entered(daemon)).toBe(true);
    const before = published();
    // Another daemon has no plan to keep, and the first one plans whenever the other does.
    const other = fleet.start({ remote: true });
    for (let minute = 0; minute < 10; minute++) {
      daemon.daemon.look('a minute has passed');
      await fleet.run(60);
    }
    expect(entered(daemon)).toBe(true);
    expect(other.passes.length).toBeGreaterThan(10);
    expect(published() - before).toBe(0);
  });
});

it('each distinct refusal is published once, also without a publish interval', async () => {
  fleet = await VirtualFleet.open(smallFleet(), ...names);
  const one = fleet.start();
  await settles(fleet, one);
  await fleet.run(60);
  for (const text of ['first', 'second']) {
    const before = published();
    fleet.commit({ 'resources/web.yaml': undefined, 'notes.txt': text });
    await fleet.run(600);
    expect(refuses(one)).toBe(true);
    expect(published() - before).toBe(1);
  }
});
