import type { ApprovalRequest, UpdateRunStatus } from '../../../api/staged.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import type { RunContext, RunStep } from '../step.ts';

type Early = NonNullable<UpdateRunStatus['earlyApprovals']>;

/**
 * The run with the approvals that came with it: nobody can have reviewed what a run would do before it was initialized. One that
 * is removed from main is forgotten, and so is one that came to name another review; both may count when they come back.
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

/** Whether a file on main is one of them. */
export const isAmong = (early: UpdateRunStatus['earlyApprovals'], { metadata }: ApprovalRequest): boolean =>
  early?.some(({ name, review }) => name === metadata.name && review === reviewOf(metadata)) === true;

/** Approvals without a review count nowhere, whenever they came. */
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
