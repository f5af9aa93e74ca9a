/** An approval file as its kind says it. */
export interface WrittenAnswer<File> {
  readonly file: File;
  /** Undefined = it neither approves nor rejects. */
  readonly decision: 'approved' | 'rejected' | undefined;
  /** Why its decision does not count. */
  readonly outdated: string | undefined;
  /** Digest of the review that it answers; undefined = it was written by hand. */
  readonly review: string | undefined;
  /** The approver's own words; empty where there are none. */
  readonly message: string;
}

export type Answer<File> =
  /** No file, or one that neither approves nor rejects. */
  | { readonly kind: 'none'; readonly why?: string }
  | { readonly kind: 'approved'; readonly file: File; readonly reviewed: boolean }
  | { readonly kind: 'rejected'; readonly file: File; readonly message: string }
  /** The file speaks of another review than the one asked for. */
  | { readonly kind: 'stale'; readonly file: File };

/** What main says to a gate. `digest` is that of the review asked for; it is asked only where an answer names one. */
export function readAnswer<File>(written: WrittenAnswer<File> | undefined, digest: () => string): Answer<File> {
  if (written?.decision === undefined) return { kind: 'none' };
  const { file, decision, outdated, review, message } = written;
  if (outdated !== undefined) return { kind: 'none', why: outdated };
  if (review !== undefined && review !== digest()) return { kind: 'stale', file };
  return decision === 'approved'
    ? { kind: 'approved', file, reviewed: review !== undefined }
    : { kind: 'rejected', file, message };
}
