import { BeyondLimit } from './api-error.ts';
import type { CommonLimit } from './common-limit.ts';
import type { MemberLimits } from './member-limits.ts';

/** The responses of one member that are being read. */
export interface ResponsesInFlight {
  /** `abort` ends the reading of this response with the error. */
  open(tried: string, abort: (reason: Error) => void): ResponseInFlight;
  /** Ends the reading of all. */
  abort(reason: Error): void;
}

/** The received bytes of one response that are not processed yet. */
export interface ResponseInFlight {
  /** Replaces the number of bytes. Throws BeyondLimit if it is more than one response may have. */
  hold(bytes: number): void;
  /** Before more of a large response is read: settles when no other large one of the member is read. Absent: at once. */
  turn(): Promise<void> | undefined;
  end(): void;
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** @param all Shared by all members: beyond it, every response of the member with the most bytes is aborted. */
export function responsesInFlight(input: {
  readonly all: CommonLimit;
  readonly limits: MemberLimits;
  readonly life: AbortSignal;
}): ResponsesInFlight {
  const { limits } = input;
  const open = new Map<symbol, { bytes: number; readonly tried: string; readonly abort: (reason: Error) => void }>();
  /** The large response that is read, and what those wait for that are read next. */
  let large: symbol | undefined;
  const waiting = new Map<symbol, () => void>();
  let total = 0;
  const share = input.all.open(() => {
    const what = `responses of ${mebibytes(limits.inFlightBytes)} are in flight from all members, most of it from this one`;
    for (const { tried, abort } of [...open.values()])
      abort(new BeyondLimit(tried, what, { smaller: true, passing: true }));
  });
  input.life.addEventListener('abort', () => share.end(), { once: true });

  function change(response: { bytes: number }, bytes: number): void {
    if (response.bytes === bytes) return;
    total += bytes - response.bytes;
    response.bytes = bytes;
    share.hold(total);
  }

  function readNext(): void {
    const [next] = waiting;
    large = next?.[0];
    if (!next) return;
    waiting.delete(next[0]);
    next[1]();
  }

  return {
    open(tried, abort) {
      const key = Symbol();
      const response = { bytes: 0, tried, abort };
      open.set(key, response);
      return {
        hold(bytes) {
          if (bytes > limits.responseBytes)
            throw new BeyondLimit(tried, `a response of more than ${mebibytes(limits.responseBytes)}`, {
              smaller: true,
            });
          change(response, bytes);
        },
        turn() {
          if (response.bytes <= limits.smallResponseBytes) return undefined;
          large ??= key;
          return large === key ? undefined : new Promise((resolve) => waiting.set(key, resolve));
        },
        end() {
          open.delete(key);
          waiting.delete(key);
          if (large === key) readNext();
          change(response, 0);
        },
      };
    },
    abort(reason) {
      for (const { abort } of [...open.values()]) abort(reason);
    },
  };
}
