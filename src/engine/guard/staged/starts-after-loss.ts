import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isStarted } from '../evidence/started-clusters.ts';
import type { RunChange } from './run-status.ts';

/** A run whose record is lost may have run before: it updates nothing until its file changes. */
export function startsAfterLoss({ run, before }: RunChange, { input, isRecordLost }: Evidence): GuardFinding[] {
  const isLost = isRecordLost || input.record.unread?.runs.has(placementKey(run)) === true;
  if (before !== undefined || !isLost) return [];
  const { stagesStatus = [], deletionStageStatus } = run.status;
  const started = [...stagesStatus, ...(deletionStageStatus ? [deletionStageStatus] : [])]
    .flatMap(({ clusters }) => clusters)
    .find(isStarted);
  if (!started) return [];
  return [
    {
      rule: 'started-after-loss',
      message: `run ${run.name} would update ${started.clusterName}, but the record of whether it ran before is lost`,
    },
  ];
}
