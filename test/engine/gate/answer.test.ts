import { describe, expect, it } from 'vitest';
import { readAnswer, type WrittenAnswer } from '../../../src/engine/gate/answer.ts';
import { withdrawnGate } from '../../../src/engine/gate/withdrawal.ts';

const written = (change: Partial<WrittenAnswer<string>>): WrittenAnswer<string> => ({
  file: 'approvals/a.yaml',
  decision: 'approved',
  outdated: undefined,
  early: false,
  review: 'sha256:now',
  message: '',
  ...change,
});
const now = (handWritten: boolean) => ({ digest: () => 'sha256:now', handWritten });
const file = 'approvals/a.yaml';

describe('how an approval file answers a gate', () => {
  it.each<[string, Partial<WrittenAnswer<string>> | undefined, object]>([
    ['no file', undefined, { kind: 'none' }],
    ['one that decides nothing', { decision: undefined, review: 'sha256:old' }, { kind: 'none' }],
    ['one of an older generation', { outdated: 'of generation 1' }, { kind: 'none', why: 'of generation 1' }],
    ['one that approves the request', {}, { kind: 'approved', file, flaw: undefined }],
    ['one written by hand', { review: undefined }, { kind: 'refused', file, flaw: 'without-review' }],
    ['one that was there before the question', { early: true }, { kind: 'refused', file, flaw: 'early' }],
    ['an early one of another review', { early: true, review: 'sha256:old' }, { kind: 'stale', file }],
    [
      'a rejection without a review',
      { decision: 'rejected', review: undefined },
      { kind: 'rejected', file, message: '' },
    ],
    ['one of another review', { review: 'sha256:old' }, { kind: 'stale', file }],
    ['a rejection of another review', { decision: 'rejected', review: 'sha256:old' }, { kind: 'stale', file }],
    ['a rejection', { decision: 'rejected', message: 'no' }, { kind: 'rejected', file, message: 'no' }],
  ])('%s', (_, change, expected) => {
    expect(readAnswer(change && written(change), now(false))).toEqual(expected);
  });

  it('counts with its flaw where the fleet allows approvals that are written by hand', () => {
    expect(readAnswer(written({ review: undefined }), now(true))).toEqual({
      kind: 'approved',
      file,
      flaw: 'without-review',
    });
    expect(readAnswer(written({ early: true }), now(true))).toEqual({ kind: 'approved', file, flaw: 'early' });
    expect(readAnswer(written({ review: 'sha256:old' }), now(true)).kind).toBe('stale');
  });

  it('computes no digest where nothing is compared with it', () => {
    const never = () => {
      throw new Error('asked');
    };
    expect(readAnswer(written({ review: undefined }), { digest: never, handWritten: true }).kind).toBe('approved');
  });
});

describe('the gate whose approval is withdrawn', () => {
  const of = (change: Partial<Parameters<typeof withdrawnGate<string>>[0]>) =>
    withdrawnGate({
      gates: ['a', 'b', 'c'],
      isApproved: (gate) => gate !== 'c',
      hasStartedAfter: () => false,
      answerTo: () => ({ kind: 'none' }),
      absenceIsCertain: true,
      ...change,
    });

  it('is the last one approved, when its file is removed or rejects', () => {
    expect(of({})).toBe('b');
    expect(of({ answerTo: () => ({ kind: 'rejected' }) })).toBe('b');
  });

  it.each<[string, Parameters<typeof of>[0]]>([
    ['none is passed', { isApproved: () => false }],
    ['something behind it has started', { hasStartedAfter: () => true }],
    ['some file cannot be read', { absenceIsCertain: false }],
    ['its file approves', { answerTo: () => ({ kind: 'approved' }) }],
    ['its file approves something else', { answerTo: () => ({ kind: 'stale' }) }],
    ['the file of its name is for another gate', { answerTo: () => ({ kind: 'foreign' }) }],
  ])('is none where %s', (_, change) => {
    expect(of(change)).toBeUndefined();
  });
});
