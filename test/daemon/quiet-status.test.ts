import { afterEach, describe, expect, it } from 'vitest';
import { suspendedAnnotation } from '../../src/engine/pause/placement-pause.ts';
import { deployment, member, placement } from '../support/paper-fleet.ts';
import { names, settles, smallFleet, web } from '../support/small-fleet.ts';
import { stagedRun } from '../support/staged-run.ts';
import { VirtualFleet } from '../support/virtual-fleet.ts';
import { isHeld, isRefused, publishedOf, publishNothing, type Situation } from './quiet.ts';

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

const replace = (fleet: VirtualFleet, path: string, from: string, to: string): void => {
  const text = fleet.files[path]!;
  expect(text).toContain(from);
  fleet.commit({ [path]: text.replace(from, to) });
};

const situations: Readonly<Record<string, Pick<Situation, 'enter' | 'entered'> & Partial<Pick<Situation, 'files'>>>> = {
  'at rest': { entered: (one) => one.plan().holds.length === 0 },
  'refused, since the repo is empty': {
    enter: (fleet) => void fleet.commit(Object.fromEntries(Object.keys(fleet.files).map((path) => [path, undefined]))),
    entered: isRefused,
  },
  'refused, since its resources are gone': {
    enter: (fleet) => void fleet.commit({ 'resources/web.yaml': undefined }),
    entered: isRefused,
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
    entered: isRefused,
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
    entered: isRefused,
  },
  'refused, while a cluster reports that it is not healthy': {
    enter(fleet) {
      fleet.commit({ 'resources/web.yaml': undefined });
      fleet.fault('b', { type: 'Forbidden' });
      return undefined;
    },
    entered: isRefused,
  },
  'refused, without a member that responds': {
    enter(fleet) {
      fleet.commit({ 'resources/web.yaml': undefined });
      fleet.fault('b', { type: 'Unreachable' });
      return undefined;
    },
    entered: isRefused,
  },
  'frozen by the calendar': {
    enter: (fleet) => void fleet.commit({ 'fleet.yaml': frozen, ...web('web:2') }),
    entered: (one) => isHeld(one, 'Freeze'),
  },
  'waiting for approval': {
    files: stagedRun('{type: Approval}'),
    entered: (one) => isHeld(one, 'WaitingForApproval'),
  },
  'waiting for time': {
    files: stagedRun('{type: TimedWait, waitTime: 1h}'),
    entered: (one) => isHeld(one, 'WaitingForTime'),
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
    entered: (one) => isHeld(one, 'RolloutBudget'),
  },
  'held at the last good version': {
    enter: (fleet) => void replace(fleet, 'placements/web.yaml', 'PickAll', 'PickSome'),
    entered: (one) => isHeld(one, 'LastGoodVersion'),
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
    entered: (one) => isHeld(one, 'RecordLost'),
  },
  suspended: {
    enter(fleet) {
      replace(fleet, 'placements/web.yaml', '{name: web}', `{name: web, annotations: {${suspendedAnnotation}: why}}`);
      fleet.commit(web('web:2'));
      return undefined;
    },
    entered: (one) => isHeld(one, 'Freeze'),
  },
};

describe('planning again, when nothing else has changed, publishes nothing', () => {
  const inFleet = Object.entries(situations).map(([name, { files = smallFleet(), ...rest }]): [string, Situation] => [
    name,
    {
      files,
      members: [...names, 'd'],
      ...(files['run.yaml'] === undefined ? { settle: settles } : {}),
      ...rest,
    },
  ]);
  publishNothing(Object.fromEntries(inFleet));
});

let fleet: VirtualFleet;
afterEach(() => fleet?.close());

it('each distinct refusal is published once, also without a publish interval', async () => {
  fleet = await VirtualFleet.open(smallFleet(), ...names);
  const one = fleet.start();
  await settles(fleet, one);
  await fleet.run(60);
  for (const text of ['first', 'second']) {
    const before = publishedOf(fleet);
    fleet.commit({ 'resources/web.yaml': undefined, 'notes.txt': text });
    await fleet.run(600);
    expect(isRefused(one)).toBe(true);
    expect(publishedOf(fleet) - before).toBe(1);
  }
});
