import type { UpdateRunStatus } from '../../../api/staged.ts';
import type { GuardFinding } from '../../plan-document.ts';
import { isStarted } from '../evidence/started-clusters.ts';
import { is, isDone, type RunChange } from './run-status.ts';

/**
 * A stage starts after the one before it is done, and is done when all its clusters are. Faults of the record before the plan do not count.
 */
export function brokenStageOrder({ run: { name, status }, before }: RunChange): GuardFinding[] {
  const known = new Set(before ? faultsOf(name, before).map(({ message }) => message) : []);
  return faultsOf(name, status).filter(({ message }) => !known.has(message));
}

function faultsOf(name: string, status: UpdateRunStatus): GuardFinding[] {
  const stages = status.stagesStatus ?? [];
  const findings: GuardFinding[] = [];
  let open: string | undefined;
  for (const stage of [...stages, ...(status.deletionStageStatus ? [status.deletionStageStatus] : [])]) {
    const started = stage.clusters.find(isStarted);
    if (started && open !== undefined)
      findings.push({
        rule: 'stage-order',
        message: `run ${name} would update ${started.clusterName} in stage ${stage.stageName} while stage ${open} is not done`,
      });
    if (is(stage.conditions, 'Succeeded') !== 'True') open ??= stage.stageName;
    const undone = stage.clusters.find((cluster) => !isDone(cluster));
    if (is(stage.conditions, 'Succeeded') === 'True' && undone)
      findings.push({
        rule: 'stage-order',
        message: `run ${name} would end stage ${stage.stageName}, but ${undone.clusterName} is not done`,
      });
  }
  return findings;
}
