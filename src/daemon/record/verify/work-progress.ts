import { placementKey } from '../../../api/placement.ts';
import { isTerminal } from '../../../engine/evict/evict.ts';
import type { FleetRecord, WorkFolder } from '../../../engine/input.ts';
import { isHeldSinceLoss } from '../../../engine/recovery/held-since-loss.ts';
import { isInitialized, isOver as isRunOver } from '../../../engine/update-run.ts';
import { isOver as isUpgradeOver } from '../../../engine/upgrade/load-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { Work } from './lost-work.ts';

/** How far the record has work. Without any nothing keeps it from being carried out. What is held after a loss is over. */
export type Progress = (typeof inOrder)[number];

const inOrder = ['none', 'waiting', 'started', 'over'] as const;

export const isBehind = (progress: Progress, other: Progress): boolean =>
  inOrder.indexOf(progress) < inOrder.indexOf(other);

export function progressIn(record: FleetRecord, folder: WorkFolder, file: Work): Progress {
  const name = placementKey(file.metadata);
  const recorded: Work | undefined = record[folder].get(name);
  const lost = record.unread?.[folder].has(name) === true;
  if (isHeldSinceLoss<Pick<Work, 'metadata' | 'spec'>>({ file, recorded, lost, digest: sha256 })) return 'over';
  return recorded === undefined ? 'none' : progressOf(recorded, file);
}

function progressOf(recorded: Work, file: Work): Progress {
  switch (recorded.kind) {
    // One that waits is not recorded.
    case 'ClusterResourcePlacementEviction':
      return isTerminal(recorded) ? 'over' : 'none';
    case 'UpdateRun': {
      const { status } = recorded;
      if (status?.status.startTime === undefined) return 'waiting';
      const isAskedAgain = file.kind === recorded.kind && file.spec.attempt > status.attempt;
      return isUpgradeOver(status) && !isAskedAgain ? 'over' : 'started';
    }
    default: {
      const { status = {} } = recorded;
      return isRunOver(status) ? 'over' : isInitialized(status) ? 'started' : 'waiting';
    }
  }
}
