import type { ClusterName } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import type { UpdateRun } from '../../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../../api/upgrade-status.ts';
import { withdrawnGate } from '../../../engine/gate/run-gates.ts';
import type { Fleet } from '../../../engine/input.ts';
import { hasStartedBehind, membersBehind } from '../../../engine/upgrade/check-gates.ts';
import { approvalsInOrder, upgradeGateInput } from '../../../engine/upgrade/gate-answer.ts';
import type { RunGate } from '../../../engine/upgrade/gate-names.ts';
import { isInFlight, mapMembers } from '../../../engine/upgrade/tree.ts';
import { sha256 } from '../../../repo/sha256.ts';

/**
 * The gate of a cluster update run that was passed last, if its approval is no longer on the followed branch, and only the record says
 * that members behind it had started before.
 */
export function withdrawnBehind({ metadata, spec, status }: UpdateRun, tip: Fleet): RunGate | undefined {
  if (status === undefined) return undefined;
  const reviewed = { run: metadata.name, update: spec.managedClusterUpdate, status };
  const input = { gates: tip.gates, ...upgradeGateInput(tip), digest: sha256 };
  const gate = withdrawnGate(approvalsInOrder(reviewed, input), { ...input, hasStartedAfter: () => false });
  return gate && hasStartedBehind(status, gate) ? gate : undefined;
}

/** Whether the provider of a member behind the gate shows the operation that the record claims. */
export const isShownBehind = (
  status: UpgradeRunStatus,
  gate: RunGate,
  observations: ReadonlyMap<ClusterName, ClusterObservation>,
): boolean =>
  membersBehind(status, gate).some(({ name, operationId }) => {
    const { target, phase = 'Unknown' } = observations.get(name)?.upgrade ?? {};
    return operationId !== undefined && target === operationId && phase !== 'NotRequested' && phase !== 'Unknown';
  });

/** The run as if nothing had started behind the gate, so that the plan closes it. What is done stays done. */
export function withoutStarts(status: UpgradeRunStatus, gate: RunGate): UpgradeRunStatus {
  const behind = new Set(membersBehind(status, gate));
  return mapMembers(status, (member) => {
    if (!behind.has(member)) return member;
    if (isInFlight(member)) return { name: member.name, status: { state: 'NotStarted' } };
    const { operationId: _, ...rest } = member;
    return rest;
  });
}
