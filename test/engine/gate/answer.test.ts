import { describe, expect, it } from 'vitest';
import { readAnswer, type WrittenAnswer } from '../../../src/engine/gate/answer.ts';
import type { ApprovalFile } from '../../../src/engine/gate/early-approvals.ts';
import { reviewAnnotation } from '../../../src/engine/gate/review.ts';
import { withdrawnGate } from '../../../src/engine/gate/run-gates.ts';

const fileOf = (review: string | undefined): ApprovalFile => ({
  kind: 'Gate',
  metadata: { name: 'a', annotations: review === undefined ? {} : { [reviewAnnotation]: review } },
});
type Written = WrittenAnswer<ApprovalFile>;
const file = fileOf('sha256:now');
const byHand = fileOf(undefined);
const old = fileOf('sha256:old');

const written = (change: Partial<Written>): Written => ({
  file,
  decision: 'approved',
  outdated: undefined,
  message: '',
  ...change,
});
const now = (handWritten: boolean, early: readonly { name: string; review: string }[] = []) => ({
  digest: () => 'sha256:now',
  handWritten,
  early,
});

describe('how an approval file answers a gate', () => {
  it.each<[string, Partial<Written> | undefined, object]>([
    ['no file', undefined, { kind: 'none' }],
    ['one that decides nothing', { decision: undefined, file: old }, { kind: 'none' }],
    ['one of an older generation', { outdated: 'of generation 1' }, { kind: 'none', why: 'of generation 1' }],
    ['one that approves the request', {}, { kind: 'approved', file, flaw: undefined }],
    ['one written by hand', { file: byHand }, { kind: 'refused', file: byHand, flaw: 'without-review' }],
    [
      'a rejection without a review',
      { decision: 'rejected', file: byHand },
      { kind: 'rejected', file: byHand, message: '' },
    ],
    ['one of another review', { file: old }, { kind: 'stale', file: old }],
    ['a rejection of another review', { decision: 'rejected', file: old }, { kind: 'stale', file: old }],
    ['a rejection', { decision: 'rejected', message: 'no' }, { kind: 'rejected', file, message: 'no' }],
  ])('%s', (_, change, expected) => {
    expect(readAnswer(change && written(change), now(false))).toEqual(expected);
  });

  it('one that was there before the question is refused, or stale if it names another review', () => {
    const early = [
      { name: 'a', review: 'sha256:now' },
      { name: 'a', review: 'sha256:old' },
    ];
    expect(readAnswer(written({}), now(false, early))).toEqual({ kind: 'refused', file, flaw: 'early' });
    expect(readAnswer(written({ file: old }), now(false, early))).toEqual({ kind: 'stale', file: old });
    expect(readAnswer(written({}), now(true, early))).toEqual({ kind: 'approved', file, flaw: 'early' });
  });

  it('counts with its flaw where the fleet allows approvals that are written by hand', () => {
    expect(readAnswer(written({ file: byHand }), now(true))).toEqual({
      kind: 'approved',
      file: byHand,
      flaw: 'without-review',
    });
    expect(readAnswer(written({ file: old }), now(true)).kind).toBe('stale');
  });

  it('computes no digest where nothing is compared with it', () => {
    const never = () => {
      throw new Error('asked');
    };
    expect(readAnswer(written({ file: byHand }), { ...now(true), digest: never }).kind).toBe('approved');
  });
});

describe('the gate whose approval is withdrawn', () => {
  const of = (
    change: Partial<Parameters<typeof withdrawnGate<string>>[0] & Parameters<typeof withdrawnGate<string>>[1]>,
  ) => {
    const all = {
      all: ['a', 'b', 'c'],
      isApproved: (gate: string) => gate !== 'c',
      hasStartedAfter: () => false,
      answerTo: () => ({ kind: 'none' as const }),
      absenceIsCertain: true,
      ...change,
    };
    return withdrawnGate(all, all);
  };

  it('is the last one approved, when its file is removed or rejects', () => {
    expect(of({})).toBe('b');
    expect(of({ answerTo: () => ({ kind: 'rejected', file, message: '' }) })).toBe('b');
  });

  it.each<[string, Parameters<typeof of>[0]]>([
    ['none is passed', { isApproved: () => false }],
    ['something behind it has started', { hasStartedAfter: () => true }],
    ['some file cannot be read', { absenceIsCertain: false }],
    ['its file approves', { answerTo: () => ({ kind: 'approved', file, flaw: undefined }) }],
    ['its file approves something else', { answerTo: () => ({ kind: 'stale', file }) }],
    ['the file of its name is for another gate', { answerTo: () => ({ kind: 'foreign' }) }],
  ])('is none where %s', (_, change) => {
    expect(of(change)).toBeUndefined();
  });
});
