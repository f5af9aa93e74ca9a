import type { Fleet, RecordedApproval } from '../input.ts';
import { type ApprovalFile, type EarlyApproval, isEarly, reviewOf } from './early-approvals.ts';

/** What gates of runs read of the fleet, beyond the approval files. */
export interface GateInput {
  /** Approvals count that do not answer the review (`FleetConfig.spec.approvals.handWritten`). */
  readonly handWritten: boolean;
  /** False while some file cannot be read: then a missing approval withdraws nothing. */
  readonly absenceIsCertain: boolean;
  readonly approvers: Fleet['approvers'];
}

/** `kinds`: of the approval files. One that is invalid is not missing. */
export const gateInput = (
  fleet: Pick<Fleet, 'config' | 'unreadable' | 'refused' | 'approvers'>,
  kinds: readonly RecordedApproval['kind'][],
): GateInput => ({
  handWritten: acceptsHandWritten(fleet),
  absenceIsCertain: fleet.unreadable.length === 0 && !fleet.refused.some(({ kind }) => kinds.some((it) => it === kind)),
  approvers: fleet.approvers,
});

/** Approvals count that do not answer the review. */
export const acceptsHandWritten = ({ config }: Pick<Fleet, 'config'>): boolean =>
  config?.spec.approvals?.handWritten === true;

/** The answer in an approval file, read from the fields of its kind. */
export interface WrittenAnswer<File extends ApprovalFile> {
  readonly file: File;
  /** Undefined = it neither approves nor rejects. */
  readonly decision: 'approved' | 'rejected' | undefined;
  /** Why its decision does not count; undefined = it counts. */
  readonly outdated: string | undefined;
  /** The approver's message; empty if there is none. */
  readonly message: string;
}

export type Answer<File> =
  /** No file, or one that neither approves nor rejects. */
  | { readonly kind: 'none'; readonly why?: string }
  | { readonly kind: 'approved'; readonly file: File; readonly flaw: ApprovalFlaw | undefined }
  /** The file approves, but does not count. */
  | { readonly kind: 'refused'; readonly file: File; readonly flaw: ApprovalFlaw }
  | { readonly kind: 'rejected'; readonly file: File; readonly message: string }
  /** The file answers another review than the requested one. */
  | { readonly kind: 'stale'; readonly file: File };

/** Why an approval does not answer the review: it names none, or it was on main before the review was possible. */
export type ApprovalFlaw = 'without-review' | 'early';

/**
 * How a file on main answers a gate. `digest`: of the requested review; called only where the file names a review. `early`: of the run.
 * A rejection needs no review: it only stops the run.
 */
export function readAnswer<File extends ApprovalFile>(
  written: WrittenAnswer<File> | undefined,
  {
    digest,
    handWritten,
    early,
  }: {
    readonly digest: () => string;
    readonly handWritten: boolean;
    readonly early: readonly EarlyApproval[] | undefined;
  },
): Answer<File> {
  if (written?.decision === undefined) return { kind: 'none' };
  const { file, decision, outdated, message } = written;
  if (outdated !== undefined) return { kind: 'none', why: outdated };
  const review = reviewOf(file);
  if (review !== undefined && review !== digest()) return { kind: 'stale', file };
  if (decision === 'rejected') return { kind: 'rejected', file, message };
  const flaw = review === undefined ? 'without-review' : isEarly(early, file) ? 'early' : undefined;
  return flaw !== undefined && !handWritten ? { kind: 'refused', file, flaw } : { kind: 'approved', file, flaw };
}
