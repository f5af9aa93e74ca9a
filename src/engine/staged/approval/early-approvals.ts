import type { ApprovalRequest, UpdateRunStatus } from '../../../api/staged.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import type { RunContext, RunStep } from '../step.ts';

type Early = NonNullable<UpdateRunStatus['earlyApprovals']>;

/**
 * The run with the approvals that were on main before it: what a run does cannot be reviewed before it is initialized. An entry
 * is dropped once its file is removed from main or names another review; a file that is added again may count.
 */
export function withEarlyApprovals(
  step: RunStep,
  context: RunContext,
  { isNew }: { readonly isNew: boolean },
): RunStep {
  const { earlyApprovals: known, ...status } = step.status;
  if (!isNew && known === undefined) return step;
  const onMain = context.input.approvals.flatMap((file) => entryOf(file, context));
  const early = isNew ? onMain : known!.filter((entry) => !isGone(entry, onMain, context));
  return { ...step, status: early.length === 0 ? status : { ...status, earlyApprovals: early } };
}

/** Whether a file on main is an early approval. */
export const isAmong = (early: UpdateRunStatus['earlyApprovals'], { metadata }: ApprovalRequest): boolean =>
  early?.some(({ name, review }) => name === metadata.name && review === reviewOf(metadata)) === true;

/** The entry of an approval of this run. Approvals without a review have none: they do not count at any time. */
function entryOf({ metadata, spec }: ApprovalRequest, { run }: RunContext): Early {
  const review = reviewOf(metadata);
  const isOfRun =
    spec.parentStageRollout === run.metadata.name &&
    (run.metadata.namespace === undefined || metadata.namespace === run.metadata.namespace);
  return isOfRun && review !== undefined ? [{ name: metadata.name, review }] : [];
}

function isGone(entry: Early[number], onMain: Early, { input }: RunContext): boolean {
  const named = onMain.filter(({ name }) => name === entry.name);
  if (named.length === 0) return input.absenceIsCertain;
  return named.every(({ review }) => review !== entry.review);
}

const reviewOf = ({ annotations }: ApprovalRequest['metadata']): string | undefined => annotations?.[reviewAnnotation];
