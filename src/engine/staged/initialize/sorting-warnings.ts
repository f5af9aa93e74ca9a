import { findCondition } from '../../kernel/condition.ts';
import { isOver, type RunContext, type RunStep, strategyKind, withProblem } from '../step.ts';

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
  return warnings.reduce(
    (so, message) => withProblem(so, context, { severity: 'warning', code: 'sorting-label', message }, strategy),
    step,
  );
}
