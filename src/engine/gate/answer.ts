import type { Fleet, RecordedApproval } from '../input.ts';

/** Approvals count that do not answer the review. */
export const acceptsHandWritten = ({ config }: Pick<Fleet, 'config'>): boolean =>
  config?.spec.approvals?.handWritten === true;

/** Whether a missing approval of one of these kinds was removed. An approval whose file is invalid is not missing. */
export const isAbsenceCertain = (
  { unreadable, refused }: Pick<Fleet, 'unreadable' | 'refused'>,
  kinds: readonly RecordedApproval['kind'][],
): boolean => unreadable.length === 0 && !refused.some(({ kind }) => kinds.some((it) => it === kind));

/** The answer in an approval file, read from the fields of its kind. */
export interface WrittenAnswer<File> {
  readonly file: File;
  /** Undefined = it neither approves nor rejects. */
  readonly decision: 'approved' | 'rejected' | undefined;
  /** Why its decision does not count; undefined = it counts. */
  readonly outdated: string | undefined;
  /** The file was there before the request, so it cannot answer it. */
  readonly early: boolean;
  /** Digest of the review that it answers; undefined = the file was written by hand. */
  readonly review: string | undefined;
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
 * How a file on main answers a gate. `digest`: of the requested review; called only where the file names a review. A rejection
 * needs no review: it only stops the run.
 */
export function readAnswer<File>(
  written: WrittenAnswer<File> | undefined,
  { digest, handWritten }: { readonly digest: () => string; readonly handWritten: boolean },
): Answer<File> {
  if (written?.decision === undefined) return { kind: 'none' };
  const { file, decision, outdated, early, review, message } = written;
  if (outdated !== undefined) return { kind: 'none', why: outdated };
  if (review !== undefined && review !== digest()) return { kind: 'stale', file };
  if (decision === 'rejected') return { kind: 'rejected', file, message };
  const flaw = review === undefined ? 'without-review' : early ? 'early' : undefined;
  return flaw !== undefined && !handWritten ? { kind: 'refused', file, flaw } : { kind: 'approved', file, flaw };
}
