import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../src/api/meta.ts';
import { countBindings, isAvailable, readinessOf } from '../../../src/engine/budget/availability.ts';
import { parseInstant } from '../../../src/engine/kernel/instant.ts';
import { at } from '../../support/instants.ts';
import { bound, scheduled } from '../staged/world.ts';

const condition = (type: string, status: Condition['status'], reason: string, seconds?: number): Condition => ({
  type,
  status,
  reason,
  ...(seconds === undefined ? {} : { lastTransitionTime: at(seconds) }),
});
const untrackable = (seconds?: number) => [
  condition('Available', 'True', 'NotAllWorkAreAvailabilityTrackable', seconds),
];
const available = condition('Available', 'True', 'AllWorkAreAvailable', 0);
const ms = 60_000;
const ready = { kind: 'ready' };
const settling = { kind: 'settling', until: parseInstant(at(60)) };

describe('whether a cluster is ready', () => {
  it.each<[string, Condition[], number, object]>([
    ['of which nothing is known', [], 0, { kind: 'not-ready' }],
    ['that is not available', [condition('Available', 'False', 'NotAllWorkAreAvailable')], 0, { kind: 'not-ready' }],
    ['that is available', [available], 0, ready],
    ['that has reported differences', [condition('DiffReported', 'True', 'DiffReportedTrue')], 0, ready],
    ['that could not report them', [condition('DiffReported', 'False', 'DiffReportedFalse')], 0, { kind: 'not-ready' }],
    ['that cannot be tracked, within the period', untrackable(0), 59, settling],
    ['that cannot be tracked, after it', untrackable(0), 61, ready],
    ['that cannot be tracked since an unknown time', untrackable(), 0, ready],
  ])('one %s', (_, conditions, seconds, expected) => {
    for (const isOverAtItsEnd of [true, false])
      expect(
        readinessOf(bound('a', 0, { conditions }), { now: parseInstant(at(seconds))!, ms, isOverAtItsEnd }),
      ).toEqual(expected);
  });

  it('the last instant of the period is over for an update run, and not for a rollout', () => {
    const last = (isOverAtItsEnd: boolean) =>
      readinessOf(bound('a', 0, { conditions: untrackable(0) }), { now: parseInstant(at(60))!, ms, isOverAtItsEnd });
    expect([last(true), last(false)]).toEqual([ready, settling]);
  });

  it('conditions of an older generation do not count', () => {
    const conditions = [{ ...available, observedGeneration: 1 }];
    const binding = bound('a', 0, { conditions, observedGeneration: 2 });
    expect(readinessOf(binding, { now: 0, ms, isOverAtItsEnd: true })).toEqual({ kind: 'not-ready' });
    expect(isAvailable(binding)).toBe(false);
  });
});

describe('what a disruption budget counts', () => {
  const steps = [
    bound('a', 0, { conditions: [available] }),
    bound('b', 0, { conditions: untrackable(0) }),
    bound('c', 0, { conditions: [available], deleting: true }),
    bound('d', 0, { conditions: [condition('DiffReported', 'True', 'DiffReportedTrue')] }),
    scheduled('e'),
  ].map((binding) => ({ binding, move: 'keep' as const }));

  const all = { isCounted: () => true, isUnavailable: () => false };

  it('untrackable resources are available from the start; removed or only compared ones never', () => {
    expect(countBindings(steps, all)).toEqual({ total: 5, available: 2 });
  });

  it('clusters that are not counted are neither available nor missing', () => {
    expect(countBindings(steps, { ...all, isCounted: (cluster) => cluster !== 'a' })).toEqual({
      total: 4,
      available: 1,
    });
  });

  it('a cluster that is being upgraded is not available', () => {
    const isUnavailable = (cluster: string) => cluster === 'a';
    expect(countBindings(steps, { ...all, isUnavailable })).toEqual({ total: 5, available: 1 });
  });
});
