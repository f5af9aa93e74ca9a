import type { UpdateRunStatus } from '../../../api/staged.ts';
import { isOver } from '../../update-run.ts';
import { lastGoodTexts } from '../last-good-versions.ts';
import { isStrategyOf, type RunContext, type RunStep, strategyKind, withProblem } from '../step.ts';

interface SortingWarning {
  readonly stageName: string;
  readonly message: string;
}

/** Message of Initialized=True, with invalid files and the warnings about the order of clusters. */
export const initializedMessage = (status: UpdateRunStatus): string =>
  [
    'the update run has been initialized',
    ...lastGoodTexts(status),
    ...warningsOf(status).map(({ message }) => message),
  ].join('; ');

/** Reports the warnings in every plan until the run is over: otherwise a second plan of the same input would differ. */
export function sortingWarnings(step: RunStep, context: RunContext): RunStep {
  if (isOver(step.status)) return step;
  const { run } = context;
  const strategy = {
    kind: strategyKind(run),
    metadata: { name: run.spec.stagedRolloutStrategyName, namespace: run.metadata.namespace },
  };
  const stages = context.input.strategies.find((candidate) => isStrategyOf(candidate, run))?.spec.stages ?? [];
  return warningsOf(step.status).reduce((before, { stageName, message }) => {
    const stage = stages.findIndex(({ name }) => name === stageName);
    const path = stage < 0 ? {} : { path: `spec.stages.${stage}.sortingLabelKey` };
    return withProblem(before, context, { severity: 'warning', code: 'sorting-label', ...path, message }, strategy);
  }, step);
}

/** By stage, as the run recorded it. Runs recorded by versions without `withoutSortingLabel` have none. */
const warningsOf = ({ stagesStatus = [], stagedUpdateStrategySnapshot }: UpdateRunStatus): readonly SortingWarning[] =>
  stagesStatus.flatMap(({ stageName, withoutSortingLabel = [] }, at) => {
    if (withoutSortingLabel.length === 0) return [];
    const key = stagedUpdateStrategySnapshot?.stages[at]?.sortingLabelKey ?? '';
    const names = withoutSortingLabel.join(', ');
    return [{ stageName, message: `stage ${stageName}: ${names} without the sorting label ${key} come last, by name` }];
  });
