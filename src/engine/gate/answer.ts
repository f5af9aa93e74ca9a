/** An approval file as its kind says it. */
export interface WrittenAnswer<File> {
  readonly file: File;
  /** Undefined = it neither approves nor rejects. */
  readonly decision: 'approved' | 'rejected' | undefined;
  /** Why its decision does not count. */
  readonly outdated: string | undefined;
  /** It was there before the question, so it cannot be the answer. */
  readonly early: boolean;
  /** Digest of the review that it answers; undefined = it was written by hand. */
  readonly review: string | undefined;
  /** The approver's own words; empty where there are none. */
  readonly message: string;
}

export type Answer<File> =
  /** No file, or one that neither approves nor rejects. */
  | { readonly kind: 'none'; readonly why?: string }
  | { readonly kind: 'approved'; readonly file: File; readonly flaw: ApprovalFlaw | undefined }
  /** It approves, and does not count. */
  | { readonly kind: 'refused'; readonly file: File; readonly flaw: ApprovalFlaw }
  | { readonly kind: 'rejected'; readonly file: File; readonly message: string }
  /** The file speaks of another review than the one asked for. */
  | { readonly kind: 'stale'; readonly file: File };

/** Why an approval is no answer to a review: it names none, or it was on main before anybody could review anything. */
export type ApprovalFlaw = 'without-review' | 'early';

/**
 * What main says to a gate. `digest` is that of the review asked for; it is asked only where an answer names one. A rejection
 * needs no review: it only stops.
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
