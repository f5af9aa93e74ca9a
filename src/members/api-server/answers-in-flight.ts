import { BeyondLimit } from './api-error.ts';
import type { CommonLimit } from './common-limit.ts';
import type { MemberLimits } from './member-limits.ts';

/** The answers of one member that are being read. */
export interface AnswersInFlight {
  /** `abort` ends the reading of this answer with the error. */
  open(tried: string, abort: (reason: Error) => void): AnswerInFlight;
  /** Ends the reading of all. */
  abort(reason: Error): void;
}

/** Of one answer, what has arrived and is not used yet. */
export interface AnswerInFlight {
  /** Replaces what is held, bytes. Throws BeyondLimit where it is more than one answer may have. */
  hold(bytes: number): void;
  end(): void;
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** @param all Of all members: beyond it every answer of the member that holds most is aborted. */
export function answersInFlight(input: {
  readonly all: CommonLimit;
  readonly limits: MemberLimits;
  readonly life: AbortSignal;
}): AnswersInFlight {
  const { limits } = input;
  const open = new Map<symbol, { bytes: number; readonly tried: string; readonly abort: (reason: Error) => void }>();
  let total = 0;
  const share = input.all.open(() => {
    const what = `responses of ${mebibytes(limits.inFlightBytes)} are on their way from all members, and most of it from here`;
    for (const { tried, abort } of [...open.values()])
      abort(new BeyondLimit(tried, what, { smaller: true, passing: true }));
  });
  input.life.addEventListener('abort', () => share.end(), { once: true });

  function change(answer: { bytes: number }, bytes: number): void {
    if (answer.bytes === bytes) return;
    total += bytes - answer.bytes;
    answer.bytes = bytes;
    share.hold(total);
  }

  return {
    open(tried, abort) {
      const key = Symbol();
      const answer = { bytes: 0, tried, abort };
      open.set(key, answer);
      return {
        hold(bytes) {
          if (bytes > limits.answerBytes)
            throw new BeyondLimit(tried, `a response of more than ${mebibytes(limits.answerBytes)}`, { smaller: true });
          change(answer, bytes);
        },
        end() {
          open.delete(key);
          change(answer, 0);
        },
      };
    },
    abort(reason) {
      for (const { abort } of [...open.values()]) abort(reason);
    },
  };
}
