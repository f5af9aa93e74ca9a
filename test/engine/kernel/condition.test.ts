import { expect, it } from 'vitest';
import type { Condition } from '../../../src/api/meta.ts';
import { withTransitionTime } from '../../../src/engine/kernel/condition.ts';

const applied = { type: 'Applied', status: 'True', reason: 'Done', message: 'all', observedGeneration: 2 } as const;
const [then, now] = ['2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z'];
const before: Condition = { ...applied, lastTransitionTime: then };

it('a condition that did not change is the same object', () => {
  expect(withTransitionTime([before], applied, now)).toBe(before);
});

it.each<[string, Partial<Condition>, string]>([
  ['another message', { message: 'some' }, then],
  ['another generation', { observedGeneration: 3 }, then],
  ['another status', { status: 'False' }, now],
])('%s is a new condition, with the time of its status', (_, change, lastTransitionTime) => {
  const next = { ...applied, ...change };
  expect(withTransitionTime([before], next, now)).toEqual({ ...next, lastTransitionTime });
});

it('what else a record has of a condition is dropped, and a missing time is set', () => {
  const next = { ...applied, lastTransitionTime: then };
  expect(withTransitionTime([{ ...before, lastProbeTime: then }], applied, now)).toEqual(next);
  expect(withTransitionTime([applied], applied, now)).toEqual({ ...applied, lastTransitionTime: now });
});
