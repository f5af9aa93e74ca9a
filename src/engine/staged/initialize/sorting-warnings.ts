import { findCondition } from '../../kernel/condition.ts';
import { isOver, isStrategyOf, type RunContext, type RunStep, strategyKind, withProblem } from '../step.ts';

const separator = '; ';

/** Message of Initialized=True. It is also where a run remembers what was doubtful about the order of its clusters. */
export const initializedMessage = (warnings: readonly string[]): string =>
  ['the update run has been initialized', ...warnings].join(separator);

/** Tells them in every plan until the run is over: said only once, a second plan of the same input would differ. */
export function sortingWarnings(step: RunStep, context: RunContext): RunStep {
  if (isOver(step.status)) return step;
  const { run } = context;
  const strategy = {
    kind: strategyKind(run),
    metadata: { name: run.spec.stagedRolloutStrategyName, namespace: run.metadata.namespace },
  };
  const [, ...warnings] = (findCondition(step.status.conditions, 'Initialized')?.message ?? '').split(separator);
  const stages = context.input.strategies.find((candidate) => isStrategyOf(candidate, run))?.spec.stages ?? [];
  return warnings.reduce((so, message) => {
    const stage = stages.findIndex(({ name }) => message.startsWith(`stage ${name}: `));
    const path = stage < 0 ? {} : { path: `spec.stages.${stage}.sortingLabelKey` };
    return withProblem(so, context, { severity: 'warning', code: 'sorting-label', ...path, message }, strategy);
  }, step);
}
