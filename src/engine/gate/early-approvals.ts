import { reviewAnnotation } from './review.ts';

/** An approval file on main, of any kind of run. */
export interface ApprovalFile {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** An approval that was on main before its run: what a run does cannot be reviewed before it starts. */
export interface EarlyApproval {
  name: string;
  review: string;
}

/** The digest that an approval file names; undefined = it was written by hand. */
export const reviewOf = ({ metadata }: ApprovalFile): string | undefined => metadata.annotations?.[reviewAnnotation];

/** The entries of files. Approvals without a review have none: they do not count at any time. */
export const earlyAmong = (files: readonly ApprovalFile[]): EarlyApproval[] =>
  files.flatMap((file) => {
    const review = reviewOf(file);
    return review === undefined ? [] : [{ name: file.metadata.name, review }];
  });

/** Entries whose files are not removed, and name no other review by now: a file that is added again may count. */
export function stillEarly(
  early: readonly EarlyApproval[],
  files: readonly ApprovalFile[],
  absenceIsCertain: boolean,
): EarlyApproval[] {
  const onMain = earlyAmong(files);
  return early.filter((entry) => {
    const named = onMain.filter(({ name }) => name === entry.name);
    return named.length === 0 ? !absenceIsCertain : named.some(({ review }) => review === entry.review);
  });
}

/** The status of a run with these early approvals. */
export function withEarlyApprovals<S extends { readonly earlyApprovals?: EarlyApproval[] | undefined }>(
  status: S,
  early: EarlyApproval[],
): S {
  const { earlyApprovals: _, ...rest } = status;
  return (early.length === 0 ? rest : { ...rest, earlyApprovals: early }) as S;
}

/** Whether a file on main is an early approval. */
export const isEarly = (early: readonly EarlyApproval[] | undefined, file: ApprovalFile): boolean =>
  early?.some(({ name, review }) => name === file.metadata.name && review === reviewOf(file)) === true;
