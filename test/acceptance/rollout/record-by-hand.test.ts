import { describe, expect, it } from 'vitest';
import {
  all,
  at,
  bindingOn,
  deployment,
  held,
  holds,
  moves,
  namespace,
  rolling,
  type Story,
  webOn,
  words,
} from './world.ts';

describe('a record written by hand', () => {
  const bindings = (index: number) =>
    ['a', 'b'].map(
      (name) =>
        `- {targetCluster: ${name}, state: Bound, resourceSnapshotIndex: ${index}, conditions: [{type: Available, status: "True", reason: AllWorkAreAvailable, lastTransitionTime: "${at(-60)}"}]}`,
    );
  const remembering = (strategy: string, latest: number, index: number): Story => {
    const story = webOn('a b', all, strategy, 'web:2');
    story.record = {
      'placements/web/state.yaml': `
apiVersion: gitfleet.dev/v1alpha1
kind: PlacementState
metadata: {name: web}
policySnapshots: [{index: 0, policy: {placementType: PickAll}}]
resourceSnapshots: [{index: 0}, {index: ${latest}}]
bindings:
${bindings(index).join('\n')}
`,
    };
    return story;
  };

  it('may name the latest snapshot without its file: objects of the repo that a member lacks are reported', async () => {
    const story = remembering(rolling(1, 0), 1, 1);
    story.seen = { a: holds(1), b: holds(1, [namespace]) };
    const step = await story.plan();
    expect(moves(step)).toEqual(['a Bound 1 keep', 'b Bound 1 keep']);
    expect(words(bindingOn(step, 'b').conditions).at(-1)).toBe('Available=False/NotAllWorkAreAvailable');
  });

  it('may name an older one without its file: the guard still allows updating a cluster that is down', async () => {
    const story = remembering(rolling(0, 0), 1, 0);
    story.seen = { a: holds(0, [namespace, deployment(1)]), b: holds(0) };
    const step = await story.plan();
    expect(moves(step)).toEqual(['a Bound 1 update', 'b Bound 0 wait']);
    expect(step.code).toBe(1);
  });

  it('may be older than the snapshot of a member: it is ready as soon as it gets that one', async () => {
    const story = remembering(rolling(1, 1), 1, 0);
    const path = 'placements/web/state.yaml';
    story.record = {
      [path]: story.record[path]!.replace('a, state: Bound, resourceSnapshotIndex: 0', 'a, state: Scheduled'),
    };
    story.seen = { a: holds(1), b: holds(0) };
    const step = await story.plan();
    expect([moves(step), held(step)]).toEqual([['a Bound 1 add', 'b Bound 1 update'], []]);
  });
});
