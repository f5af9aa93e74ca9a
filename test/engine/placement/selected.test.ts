import { describe, expect, test } from 'vitest';
import type { Binding } from '../../../src/api/placement-state.ts';
import { selectedDecisions } from '../../../src/engine/placement/selected.ts';

const score = { affinityScore: 3, topologySpreadScore: 1 };
const complete = { clusterName: 'a', selected: true, clusterScore: score, reason: 'as recorded' };
const bound = (clusterDecision?: Binding['clusterDecision']): Binding => ({
  targetCluster: 'a',
  state: 'Bound',
  ...(clusterDecision && { clusterDecision }),
});

describe('the decision behind a live binding', () => {
  const scored = 'picked by scheduling policy: cluster "a" (affinity score: 3, topology spread score: 1)';
  const unscored = 'picked by scheduling policy: cluster "a" (no score on record)';
  test.each<[rule: string, recorded: Binding['clusterDecision'], expected: object]>([
    ['is the recorded one', complete, complete],
    [
      'may have no score',
      { clusterName: 'a', selected: true, reason: 'r' },
      { clusterName: 'a', selected: true, reason: 'r' },
    ],
    ['is made up without a record', undefined, { clusterName: 'a', selected: true, reason: unscored }],
    ['is given the reason that is missing', { ...complete, reason: '' }, { ...complete, reason: scored }],
    ['names the cluster of the binding', { ...complete, clusterName: 'b' }, complete],
    [
      'names the cluster where the record does not',
      { selected: true, clusterScore: score, reason: 'as recorded' },
      complete,
    ],
    ['is that it was selected', { ...complete, selected: false }, complete],
    ['has nothing that another program added', { ...complete, more: 1 }, complete],
    [
      'has nothing that another program added, where the score is missing',
      { clusterName: 'a', selected: true, reason: 'r', more: 1 },
      { clusterName: 'a', selected: true, reason: 'r' },
    ],
  ])('%s', (_, recorded, expected) => {
    expect(selectedDecisions('PickN', [bound(recorded)])).toStrictEqual([expected]);
    expect(selectedDecisions('PickAll', [bound(recorded)])).toStrictEqual([expected]);
  });
});
