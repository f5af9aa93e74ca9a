import type { ApprovalRequest, StagedUpdateRun, UpdateRunStatus } from '../../../api/staged.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import type { RunContext, RunStep } from '../step.ts';

export type Early = NonNullable<UpdateRunStatus['earlyApprovals']>;

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
  const { run, input } = context;
  const early = isNew ? earlyAmong(input.approvals, run) : stillEarly(known!, run, input);
  return { ...step, status: early.length === 0 ? status : { ...status, earlyApprovals: early } };
}

/** Whether a file on main is an early approval. */
export const isAmong = (early: UpdateRunStatus['earlyApprovals'], { metadata }: ApprovalRequest): boolean =>
  early?.some(({ name, review }) => name === metadata.name && review === reviewOf(metadata)) === true;

/** The entries of approvals of a run. Approvals without a review have none: they do not count at any time. */
export const earlyAmong = (approvals: readonly ApprovalRequest[], run: StagedUpdateRun): Early =>
  approvals.flatMap(({ metadata, spec }): Early => {
    const review = reviewOf(metadata);
    const isOfRun =
      spec.parentStageRollout === run.metadata.name &&
      (run.metadata.namespace === undefined || metadata.namespace === run.metadata.namespace);
    return isOfRun && review !== undefined ? [{ name: metadata.name, review }] : [];
  });

/** The entries whose approvals are not gone from main. */
export function stillEarly(
  early: Early,
  run: StagedUpdateRun,
  { approvals, absenceIsCertain }: Pick<RunContext['input'], 'approvals' | 'absenceIsCertain'>,
): Early {
  const onMain = earlyAmong(approvals, run);
  return early.filter((entry) => {
    const named = onMain.filter(({ name }) => name === entry.name);
    return named.length === 0 ? !absenceIsCertain : named.some(({ review }) => review === entry.review);
  });
}

const reviewOf = ({ annotations }: ApprovalRequest['metadata']): string | undefined => annotations?.[reviewAnnotation];
