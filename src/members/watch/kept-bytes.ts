import { BeyondLimit } from '../api-server/api-error.ts';
import type { SharedLimits } from '../api-server/shared-limits.ts';
import { weightOf } from '../api-server/weight-of.ts';

/** Memory of the kept objects of one member. */
export interface KeptBytes {
  /** Starts counting for a watched kind. */
  open(): KeptOfKind;
}

/** Memory of the kept objects of one kind. Beyond a limit the member is refused, and everything read of it is released. */
export interface KeptOfKind {
  /** Bytes of an object when it is kept. Undefined = nothing more is kept. An object that is nested too deeply refuses the member. */
  weigh(object: object): number | undefined;
  /** Sets the bytes of all kept objects. */
  hold(bytes: number): void;
  /** Sets the bytes of a list that is being received. Throws BeyondLimit if it must not continue. */
  reading(bytes: number): void;
  end(): void;
}

/** Listed objects have managedFields, which are not kept and are often most of an object. */
const listedPerKept = 2;

const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

export function keptBytes(
  name: string,
  {
    shared,
    life,
    refused,
    most = {
      bytes: shared.limits.keptBytes,
      apart: shared.explained,
      excess: ' more than the objects of the fleet repo',
    },
  }: {
    readonly shared: SharedLimits;
    readonly life: AbortSignal;
    readonly refused: (error: BeyondLimit) => void;
    /** Absent: of objects with our label. `apart`: bytes that do not count. */
    readonly most?: { readonly bytes: number; readonly apart: () => number; readonly excess: string };
  },
): KeptBytes {
  const { limits } = shared;
  const beyond = (what: string): BeyondLimit => new BeyondLimit(`keep objects of ${name}`, what);
  const share = shared.kept.open(() =>
    refused(
      beyond(
        `members have more than ${mebibytes(limits.allKeptBytes)} of objects that are not in the fleet repo, most of it this one`,
      ),
    ),
  );
  life.addEventListener('abort', () => share.end(), { once: true });
  let total = 0;

  function change(by: number): void {
    total += by;
    const unexplained = total - most.apart();
    share.hold(Math.max(0, unexplained - limits.freeBytes));
    if (by > 0 && unexplained > most.bytes) refused(beyond(`they take ${mebibytes(most.bytes)}${most.excess}`));
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
          if (ended) throw beyond('everything read of this member was released');
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
