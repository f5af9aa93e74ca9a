import { parseDuration } from '../../kernel/duration.ts';
import { parseInstant } from '../../kernel/instant.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { newlyDone, type RunChange } from './run-status.ts';

/** A stage with a TimedWait ends no earlier than that long after its last cluster. */
export function shortSoaks({ run: { name, status }, before }: RunChange, evidence: Evidence): GuardFinding[] {
  return (status.stagesStatus ?? []).flatMap((stage, at) => {
    const wait = status.stagedUpdateStrategySnapshot?.stages[at]?.afterStageTasks?.find(
      ({ type }) => type === 'TimedWait',
    );
    if (!wait || stage.clusters.length === 0 || !newlyDone(stage, before?.stagesStatus?.[at])) return [];
    const times = stage.clusters.map(({ conditions }) => {
      const done = conditions?.find(
        ({ type, status: so }) => (type === 'Succeeded' && so !== 'Unknown') || (type === 'Skipped' && so === 'True'),
      );
      return parseInstant(done?.lastTransitionTime ?? '') ?? 0;
    });
    const soaked = (parseInstant(evidence.now) ?? 0) - Math.max(...times);
    return soaked < (parseDuration(wait.waitTime ?? '') ?? 0)
      ? [
          {
            rule: 'soak-cut-short',
            message: `run ${name} would end stage ${stage.stageName} before it has soaked for ${wait.waitTime}`,
          },
        ]
      : [];
  });
}
