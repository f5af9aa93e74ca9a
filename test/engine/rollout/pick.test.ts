import { describe, expect, it } from 'vitest';
import type { PlacementPolicy, RollingUpdate } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import {
  bound,
  type Health,
  health,
  movesOf,
  pickN,
  placementOf,
  replanned,
  roll,
  scheduled,
  unscheduled,
  untrackable,
  wakesOf,
  workOf,
} from './world.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
/** Bound bindings on the old snapshot, one per word. */
const old = (...words: readonly Health[]): Binding[] => words.map((word, at) => bound(names[at]!, 0, health[word]));
const current = (name: string, word: Health): Binding => bound(name, 1, health[word]);
const going = (name: string, word: Health, more?: Partial<Binding>): Binding => unscheduled(name, health[word], more);
const surge = (maxUnavailable: RollingUpdate['maxUnavailable'], maxSurge: RollingUpdate['maxSurge']) => ({
  maxUnavailable,
  maxSurge,
});

interface Row {
  readonly rule: string;
  readonly policy?: PlacementPolicy;
  readonly rolling?: Partial<RollingUpdate>;
  readonly bindings: readonly Binding[];
  readonly moves: string;
}

const rows: readonly Row[] = [
  { rule: 'nothing to do when all run the latest', bindings: [current('a', 'ready')], moves: 'keep' },
  { rule: 'no bindings, no moves', bindings: [], moves: '' },
  {
    rule: 'one of four healthy clusters at 25 %',
    bindings: old('ready', 'ready', 'ready', 'ready'),
    moves: 'update wait wait wait',
  },
  {
    rule: 'percentages round up: 25 % of five is two',
    bindings: old('ready', 'ready', 'ready', 'ready', 'ready'),
    moves: 'update update wait wait wait',
  },
  { rule: 'percentages round up: 1 % of one is one', rolling: surge('1%', 0), bindings: old('ready'), moves: 'update' },
  {
    rule: 'an integer is taken as it is',
    rolling: surge(3, 0),
    bindings: old('ready', 'ready', 'ready', 'ready'),
    moves: 'update update update wait',
  },
  { rule: 'an integer is never capped', rolling: surge(9, 0), bindings: old('ready', 'ready'), moves: 'update update' },
  {
    rule: 'maxUnavailable 0 moves nothing in place',
    rolling: surge(0, 3),
    bindings: old('ready', 'ready'),
    moves: 'wait wait',
  },
  {
    rule: 'maxSurge never limits updates in place',
    rolling: surge(1, 0),
    bindings: old('ready', 'ready'),
    moves: 'update wait',
  },
  {
    rule: 'clusters are taken by name',
    rolling: surge(1, 0),
    bindings: [bound('a', 1, health.ready), bound('b', 0, health.ready), bound('c', 0, health.ready)],
    moves: 'keep update wait',
  },
  {
    rule: 'one that is being updated uses the budget',
    bindings: [current('a', 'silent'), ...old('ready', 'ready', 'ready', 'ready').slice(1)],
    moves: 'keep wait wait wait',
  },
  {
    rule: 'one that is unhealthy on the latest uses the budget',
    bindings: [current('a', 'unavailable'), ...old('ready', 'ready', 'ready', 'ready').slice(1)],
    moves: 'keep wait wait wait',
  },
  {
    rule: 'an unhealthy cluster is overtaken without budget',
    rolling: surge(1, 0),
    bindings: old('unavailable', 'unapplied', 'ready'),
    moves: 'update update wait',
  },
  {
    rule: 'a cluster that is still applying is overtaken too',
    rolling: surge(0, 0),
    bindings: old('applying', 'ready'),
    moves: 'update wait',
  },
  {
    rule: 'a failing override is overtaken too',
    rolling: surge(0, 0),
    bindings: old('overriddenFailed'),
    moves: 'update',
  },
  {
    rule: 'all unhealthy move at once',
    rolling: surge(0, 0),
    bindings: old('unavailable', 'unavailable', 'applying'),
    moves: 'update update update',
  },
  {
    rule: 'the placement-level waiting reasons are no failure',
    rolling: surge(0, 0),
    bindings: old('pendingWord', 'overriddenPending', 'notSynchronizedYet', 'applyPending'),
    moves: 'wait wait wait wait',
  },
  {
    rule: 'what could not be synchronized is overtaken',
    rolling: surge(0, 0),
    bindings: old('notSynchronized'),
    moves: 'update',
  },
  {
    rule: 'a binding without conditions is neither ready nor failed',
    rolling: surge(0, 0),
    bindings: old('silent'),
    moves: 'wait',
  },
  {
    rule: 'too few ready: nothing healthy is disturbed',
    bindings: old('silent', 'silent', 'ready', 'ready'),
    moves: 'wait wait wait wait',
  },
  {
    rule: 'two missing are what maxUnavailable 2 allows',
    rolling: surge(2, 0),
    bindings: old('silent', 'silent', 'ready', 'ready'),
    moves: 'wait wait wait wait',
  },
  {
    rule: 'DiffReported is ready',
    bindings: old('diffReported', 'diffReported', 'diffReported', 'diffReported'),
    moves: 'update wait wait wait',
  },
  {
    rule: 'DiffReported=False is not ready and not failed',
    rolling: surge(1, 0),
    bindings: old('diffPending', 'ready'),
    moves: 'wait wait',
  },
  {
    rule: 'first clusters are all added',
    policy: pickN(3),
    bindings: names.slice(0, 3).map(scheduled),
    moves: 'add add add',
  },
  {
    rule: 'PickAll counts Scheduled ones in its target',
    policy: { placementType: 'PickAll' },
    rolling: surge(0, 0),
    bindings: names.slice(0, 4).map(scheduled),
    moves: 'add add add add',
  },
  {
    rule: 'PickFixed takes the names for its target',
    policy: { placementType: 'PickFixed', clusterNames: ['a', 'b'] },
    rolling: surge(0, 0),
    bindings: [scheduled('a'), scheduled('b')],
    moves: 'add add',
  },
  {
    rule: 'additions are bounded by target and surge',
    policy: pickN(2),
    rolling: surge(0, 1),
    bindings: [going('a', 'ready'), going('b', 'ready'), scheduled('c'), scheduled('d')],
    moves: 'wait wait add wait',
  },
  {
    rule: 'no surge, nothing may go: a move of clusters is stuck',
    policy: pickN(2),
    rolling: surge(0, 0),
    bindings: [going('a', 'ready'), going('b', 'ready'), scheduled('c'), scheduled('d')],
    moves: 'wait wait wait wait',
  },
  {
    rule: 'a failed one that goes leaves room to add',
    policy: pickN(1),
    rolling: surge(0, 0),
    bindings: [going('a', 'unavailable'), scheduled('b')],
    moves: 'wait add',
  },
  {
    rule: 'under DiffReported nothing counts against the surge',
    policy: pickN(1),
    rolling: surge(0, 0),
    bindings: [going('a', 'diffReported'), scheduled('b')],
    moves: 'wait add',
  },
  {
    rule: 'additions do not depend on what is ready',
    policy: pickN(4),
    rolling: surge(1, 0),
    bindings: [...old('silent', 'silent', 'silent'), scheduled('d')],
    moves: 'wait wait wait add',
  },
  {
    rule: 'surplus goes as soon as enough are ready',
    policy: pickN(2),
    rolling: surge(0, 0),
    bindings: [current('a', 'ready'), current('b', 'ready'), going('c', 'ready')],
    moves: 'keep keep remove',
  },
  {
    rule: 'surplus stays while the others are not ready',
    policy: pickN(2),
    rolling: surge(0, 0),
    bindings: [current('a', 'ready'), current('b', 'silent'), going('c', 'ready')],
    moves: 'keep keep wait',
  },
  {
    rule: 'removals go before updates',
    policy: pickN(2),
    rolling: surge(1, 0),
    bindings: [bound('a', 0, health.ready), bound('b', 1, health.silent), going('c', 'ready')],
    moves: 'wait keep remove',
  },
  {
    rule: 'down to zero removes all that may go',
    policy: pickN(0),
    rolling: surge('25%', '25%'),
    bindings: [going('a', 'ready'), going('b', 'ready')],
    moves: 'remove remove',
  },
  {
    rule: 'down to zero is stuck while nothing is ready',
    policy: pickN(0),
    bindings: [going('a', 'silent'), going('b', 'unavailable')],
    moves: 'wait wait',
  },
  {
    rule: 'a ready one on its way out is not counted again',
    policy: pickN(2),
    rolling: surge(1, 0),
    bindings: [going('a', 'ready', { deleting: true }), bound('b', 0, health.ready), bound('c', 0, health.ready)],
    moves: 'remove update wait',
  },
  {
    rule: 'one on its way out and not ready is ignored',
    policy: pickN(2),
    rolling: surge(1, 0),
    bindings: [going('a', 'unavailable', { deleting: true }), bound('b', 0, health.ready), bound('c', 0, health.ready)],
    moves: 'remove update wait',
  },
  {
    rule: 'one on its way out still counts against the surge',
    policy: pickN(1),
    rolling: surge(0, 0),
    bindings: [going('a', 'ready', { deleting: true }), scheduled('b')],
    moves: 'remove wait',
  },
  {
    rule: 'PickAll still counts a Bound one on its way out',
    policy: { placementType: 'PickAll' },
    rolling: surge(1, 0),
    bindings: [bound('a', 0, health.ready, { deleting: true }), bound('b', 0, health.ready)],
    moves: 'remove wait',
  },
  {
    rule: 'untrackable for longer than the period is ready',
    policy: pickN(1),
    rolling: surge(1, 0),
    bindings: [bound('a', 0, untrackable(-61))],
    moves: 'update',
  },
  {
    rule: 'untrackable for exactly the period still waits',
    policy: pickN(2),
    rolling: surge(1, 0),
    bindings: [bound('a', 0, untrackable(-60)), bound('b', 0, health.ready)],
    moves: 'wait wait',
  },
  {
    rule: 'the word of a single work that cannot be tracked waits like that of all',
    policy: pickN(2),
    rolling: surge(1, 0),
    bindings: [bound('a', 1, untrackable(-30, 'WorkNotTrackable')), bound('b', 0, health.ready)],
    moves: 'keep wait',
  },
  {
    rule: 'a surge of one and a move of clusters: old go as new come',
    policy: pickN(2),
    rolling: surge(1, 1),
    bindings: [going('a', 'ready'), going('b', 'ready'), scheduled('c'), scheduled('d')],
    moves: 'remove wait add wait',
  },
];

describe('what a rolling update moves now', () => {
  it.each(rows)('$rule', ({ policy, rolling = {}, bindings, moves }) => {
    const placement = placementOf(policy ?? pickN(bindings.length), rolling);
    const rolled = roll(workOf(placement, bindings));
    expect(movesOf(rolled).join(' ')).toBe(moves);
  });
  it.each(rows)('planned again with nothing changed: $rule', ({ policy, rolling = {}, bindings }) => {
    const once = roll(workOf(placementOf(policy ?? pickN(bindings.length), rolling), bindings));
    const twice = roll(replanned(once));
    expect(twice.bindings.map(({ binding }) => binding)).toEqual(once.bindings.map(({ binding }) => binding));
    expect(twice.holds).toEqual(once.holds);
    expect(wakesOf(twice)).toEqual(wakesOf(once));
  });
});
