import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { StatusTip } from '../../git/status-branch.ts';
import type { UnreachableMember } from '../../repo/record/daemon-memory.ts';
import { readRecord } from '../../repo/record/read.ts';
import type { StatusText } from '../../repo/record/status-text.ts';
import type { RequestPage } from '../../repo/record/summary.ts';
import type { Status } from '../ports.ts';
import type { Logger } from '../report/log.ts';
import { refusedStatus } from './refused-status.ts';

/** The record, and the tip of the status branch that the next commit continues. */
export interface Remembered {
  readonly tip: StatusTip;
  /** The files that the record was read from: those of the tip, unless the branch was rewound or deleted; empty if the record is lost. */
  readonly files: ReadonlyMap<string, StatusText>;
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
  /** Problems that it reports. */
  readonly reported: readonly Problem[];
  /** Members that did not respond when it was written. */
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  /** Pull requests for approvals, by the name of the approval. */
  readonly pages: ReadonlyMap<string, RequestPage>;
  /** The tip is not one that gitfleet signed. */
  readonly refused?: Problem;
  /** How many times the branch was replaced by one that does not continue it, as this daemon knows. */
  readonly replacements: number;
}

type Read = Pick<Remembered, 'record' | 'problems' | 'reported' | 'unreachable' | 'pages'>;

type Found = Omit<Remembered, 'replacements'>;

/** The status branch as this daemon follows it. Errors: GitError. */
export interface StatusMemory {
  /**
   * `disputed`: members show changes of another daemon that are newer than the known record. If the branch was then rewound or deleted,
   * or its last known commit was not ours, the record is lost: the known one may not be the latest.
   */
  read(disputed: boolean): Promise<Remembered>;
  /** This daemon published the present tip. */
  wrote(tip: StatusTip, read: Read): void;
  /** Our push was rejected, so another daemon has published: the next read must not use the cache. */
  moved(): void;
}

/**
 * What a daemon has not written down, it has not requested: an approval that is found then, as where the branch was lost, came too
 * early and is requested again.
 */
function ofDaemon(read: ReturnType<typeof readRecord>): ReturnType<typeof readRecord> {
  const { record, removals } = read;
  const askedRemovals = record.askedRemovals ?? new Set(removals.map(({ removalDigest }) => removalDigest));
  return { ...read, record: { ...record, askedRemovals } };
}

const recordOf = (tip: StatusTip, files: ReadonlyMap<string, StatusText>): Found => ({
  tip,
  files,
  ...ofDaemon(readRecord(files)),
});

/** Instead of what was refused before. */
const reporting = (refused: Problem, read: Found): Found => ({
  ...read,
  reported: read.reported.filter(({ code }) => code !== refused.code),
  refused,
});

const nothing: ReadonlyMap<string, StatusText> = new Map();

type RefusedContents = NonNullable<StatusTip['refused']>;

/** The commit whose contents are the record. */
const recordCommit = ({ commit, refused }: StatusTip): string | undefined => (refused ? refused.record : commit);

/** Keeps the record, and reads the branch again if another daemon has published. */
export function statusMemory(status: Status, log: Logger): StatusMemory {
  let known: Remembered | undefined;
  let stale = true;
  /** Whether the last known commit is ours. */
  let ours = false;
  let replacements = 0;

  async function look(disputed: boolean): Promise<Found> {
    const tip = await status.read();
    if (tip.refused !== undefined) return withoutRefused(tip, tip.refused, disputed);
    if (known && (await putBack(known, tip.commit))) {
      // Daemons never rewind the branch. To follow a rewind would drop what members hold since.
      const commits = { before: known.tip.commit, now: tip.commit };
      if (ours && !disputed) {
        log.warn(commits, 'the status branch was rewound: gitfleet writes it again');
        return { ...known, tip };
      }
      log.warn(commits, 'the status branch was rewound, and another daemon may have written to it: the record is lost');
      return recordOf(tip, nothing);
    }
    ours = false;
    return recordOf(tip, tip.files);
  }

  async function isReplaced(before: Found, found: Found): Promise<boolean> {
    const [last, now] = [recordCommit(before.tip), recordCommit(found.tip)];
    if (found.record === before.record || last === now) return false;
    return last === undefined || now === undefined || !(await status.isAncestor(last, now));
  }

  async function putBack(before: Remembered, now: string | undefined): Promise<boolean> {
    const last = recordCommit(before.tip);
    if (last === undefined || last === now) return false;
    return now === undefined || status.isAncestor(now, last);
  }

  /** What another one pushed may have replaced commits of another daemon: members that show these are right. */
  function withoutRefused(tip: StatusTip, refused: RefusedContents, disputed: boolean): Found {
    const { record, files, isAccepted } = refused;
    if (isAccepted) {
      log.warn({ commit: record }, 'status commit accepted');
      ours = false;
      return recordOf(tip, files);
    }
    const isLast = known !== undefined && (record === undefined || record === recordCommit(known.tip));
    const isTrusted = isLast ? !disputed && (ours || record !== undefined) : record !== undefined;
    const problem = refusedStatus(tip.commit!, refused, isTrusted);
    log.warn({ commit: tip.commit }, problem.message);
    if (known && isLast && ours && isTrusted) return reporting(problem, { ...known, tip });
    ours = false;
    return reporting(problem, recordOf(tip, isTrusted ? files : nothing));
  }

  return {
    async read(disputed) {
      if (stale || known === undefined || (await status.tip()) !== known.tip.commit) {
        const found = await look(disputed);
        if (known && (await isReplaced(known, found))) replacements++;
        known = { ...found, replacements };
      }
      stale = false;
      return known;
    },
    wrote(tip, read) {
      known = { tip, files: tip.files, ...read, replacements };
      ours = true;
    },
    moved() {
      stale = true;
      ours = false;
    },
  };
}
