import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { StatusTip } from '../../git/status-branch.ts';
import type { Silence } from '../../repo/record/daemon-memory.ts';
import { readRecord } from '../../repo/record/read.ts';
import type { Status } from '../ports.ts';
import type { Logger } from '../report/log.ts';

/** What the fleet remembers, and where on the status branch that is to be continued. */
export interface Remembered {
  readonly tip: StatusTip;
  /** The files that the record was read from: those of the tip, unless the branch was put back or deleted; none where it is lost. */
  readonly files: ReadonlyMap<string, string>;
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
  /** Members that did not answer when it was written. */
  readonly silent: ReadonlyMap<ClusterName, Silence>;
}

/** The status branch as this daemon follows it. Errors: GitError. */
export interface StatusMemory {
  /**
   * `disputed`: members show what another daemon did after what we know. When the branch was put back or deleted then, or
   * when the last commit we know of was not ours, the record is lost: what we remember may not be the latest.
   */
  read(disputed: boolean): Promise<Remembered>;
  /** This daemon made the branch what it is now. */
  wrote(tip: StatusTip, read: Pick<Remembered, 'record' | 'problems' | 'silent'>): void;
  /** A push of ours was rejected, so another daemon has written: the next look reads the branch whatever its tip is. */
  moved(): void;
}

/** Remembers what the branch said last, and reads it anew where somebody else has written. */
export function statusMemory(status: Status, log: Logger): StatusMemory {
  let known: Remembered | undefined;
  let stale = true;
  /** Whether nobody else has written since we did, as far as we know. */
  let ours = false;

  async function look(disputed: boolean): Promise<Remembered> {
    const tip = await status.read();
    if (known && (await putBack(known.tip, tip))) {
      // Nobody of ours takes back what was published. Whoever followed it would forget what members hold since.
      const commits = { before: known.tip.commit, now: tip.commit };
      if (ours && !disputed) {
        log.warn(commits, 'the status branch was put back: it is written anew');
        return { ...known, tip };
      }
      log.warn(
        commits,
        'the status branch was put back, and another daemon may have written to it: the record is lost',
      );
      const nothing = new Map<string, string>();
      return { tip, files: nothing, ...readRecord(nothing) };
    }
    ours = false;
    return { tip, files: tip.files, ...readRecord(tip.files) };
  }

  async function putBack(before: StatusTip, now: StatusTip): Promise<boolean> {
    if (before.commit === undefined || before.commit === now.commit) return false;
    return now.commit === undefined || status.isAncestor(now.commit, before.commit);
  }

  return {
    async read(disputed) {
      if (stale || known === undefined || (await status.tip()) !== known.tip.commit) known = await look(disputed);
      stale = false;
      return known;
    },
    wrote(tip, read) {
      known = { tip, files: tip.files, ...read };
      ours = true;
    },
    moved() {
      stale = true;
      ours = false;
    },
  };
}
