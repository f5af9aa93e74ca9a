import type { UpdateRun } from '../../../api/upgrade-run.ts';
import { howToMerge } from '../../../engine/gate/request.ts';
import { isOver } from '../../../engine/upgrade/load-run.ts';
import { holdText } from '../../../report/hold-text.ts';
import { holdsOf } from '../../../report/holds-of.ts';
import type { Status } from '../../status/open-status.ts';

/** What a cluster update run waits for, one line each: approvals, then what its holds say. Nothing when it is over. */
export function waitsOfUpgrade(run: UpdateRun, { holds }: Pick<Status, 'holds'>): string[] {
  if (run.status !== undefined && isOver(run.status)) return [];
  return [...approvalsOf(run), ...holdsOf({ kind: run.kind, name: run.metadata.name }, holds).map(holdText)];
}

const approvalsOf = ({ status }: UpdateRun): string[] =>
  (status?.stages ?? []).flatMap((stage) =>
    [stage, ...stage.groups].flatMap(({ beforeGates, afterGates }) =>
      [...beforeGates, ...afterGates].flatMap(({ type, gateId: name, status: { state, startTime } }) =>
        type === 'Approval' && state === 'Pending' && name !== undefined
          ? [`approval ${name} since ${startTime}: ${howToMerge({ name })}`]
          : [],
      ),
    ),
  );
