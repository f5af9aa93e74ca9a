import { BeyondLimit } from '../api-server/api-error.ts';
import type { SharedLimits } from '../api-server/shared-limits.ts';
import { weightOf } from '../api-server/weight-of.ts';

/** What is kept of one member. */
export interface KeptBytes {
  /** A kind comes to be watched. */
  open(): KeptOfKind;
}

/** What is kept of one kind. Beyond a limit the member is refused, and everything of it is let go of. */
export interface KeptOfKind {
  /** What an object takes when it is kept, bytes. Undefined = nothing more is kept; nested too deeply, it has the member refused. */
  weigh(object: object): number | undefined;
  /** What is kept takes so much now, bytes. */
  hold(bytes: number): void;
  /** So much of a list has come that is not kept yet, bytes. Throws BeyondLimit where it may not go on. */
  reading(bytes: number): void;
  end(): void;
}

/** What is listed comes with managedFields, which are not kept and often most of an object. */
const listedPerKept = 2;

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

export function keptBytes(
  name: string,
  {
    shared,
    life,
    refused,
  }: { readonly shared: SharedLimits; readonly life: AbortSignal; readonly refused: (error: BeyondLimit) => void },
): KeptBytes {
  const { limits } = shared;
  const beyond = (what: string): BeyondLimit => new BeyondLimit(`keep objects of ${name}`, what);
  const share = shared.kept.open(() =>
    refused(
      beyond(
        `members have more than ${mebibytes(limits.allKeptBytes)} that the fleet repo does not explain, most of it here`,
      ),
    ),
  );
  life.addEventListener('abort', () => share.end(), { once: true });
  let total = 0;

  function change(by: number): void {
    total += by;
    const unexplained = total - shared.explained();
    share.hold(Math.max(0, unexplained - limits.freeBytes));
    if (by > 0 && unexplained > limits.keptBytes)
      refused(beyond(`they take ${mebibytes(limits.keptBytes)} more than the fleet repo explains`));
  }

  return {
    open() {
      const parts = { watch: 0, objects: 0, reading: 0 };
      let ended = false;

      function set(part: keyof typeof parts, bytes: number): void {
        if (ended) return;
        const by = bytes - parts[part];
        parts[part] = bytes;
        change(by);
      }

      set('watch', limits.watchBytes);
      return {
        weigh(object) {
          if (ended) return undefined;
          const bytes = weightOf(object, limits.nesting);
          if (bytes === undefined) refused(beyond(`an object of more than ${limits.nesting} levels`));
          return bytes;
        },
        hold: (bytes) => set('objects', bytes),
        reading(bytes) {
          set('reading', bytes / listedPerKept);
          if (ended) throw beyond('everything of this member was let go of');
        },
        end() {
          if (ended) return;
          ended = true;
          change(-(parts.watch + parts.objects + parts.reading));
        },
      };
    },
  };
}
