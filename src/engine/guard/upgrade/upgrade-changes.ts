import type { UpgradeGate } from '../../../api/upgrade-gate.ts';
import type { UpdateRun } from '../../../api/upgrade-run.ts';
import type { GroupUpgrade, MemberUpgrade, StageUpgrade, UpgradeRunStatus } from '../../../api/upgrade-status.ts';
import { plannedUpgradeRuns } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';

/** A cluster update run as planned and as recorded before. */
export interface UpgradeChange {
  readonly name: string;
  /** Undefined = removed. */
  readonly file: UpdateRun | undefined;
  readonly before: UpdateRun | undefined;
  /** As the plan records it. */
  readonly after: UpdateRun;
  readonly status: UpgradeRunStatus;
  readonly starts: readonly UpgradeStart[];
  readonly gates: readonly UpgradeGate[];
}

/** An operation that this plan starts. */
export interface UpgradeStart {
  readonly stageAt: number;
  readonly stage: StageUpgrade;
  readonly group: GroupUpgrade;
  readonly member: MemberUpgrade;
}

export function upgradeChanges({ plan, record, fleet }: Evidence): readonly UpgradeChange[] {
  if (plan.upgrades.length === 0) return [];
  const files = new Map(fleet.upgradeRuns.map((run) => [run.metadata.name, run]));
  const written = new Map(
    [...plan.record].flatMap(([path, { value }]) =>
      path.startsWith('upgrades/') ? [[(value as UpdateRun).metadata.name, value as UpdateRun] as const] : [],
    ),
  );
  return plannedUpgradeRuns(plan).flatMap(({ name, status }): UpgradeChange[] => {
    const [before, after] = [record.upgrades.get(name), written.get(name)];
    if (after === undefined) return [];
    const known = new Set(before?.status?.stages.flatMap(inFlightIn).map(({ operationId }) => operationId));
    const starts = status.stages.flatMap((stage, stageAt) =>
      stage.groups.flatMap((group) =>
        group.members
          .filter((member) => isInFlight(member) && !known.has(member.operationId))
          .map((member) => ({ stageAt, stage, group, member })),
      ),
    );
    return [{ name, file: files.get(name), before, after, status, starts, gates: fleet.gates }];
  });
}

export const isInFlight = ({ status }: MemberUpgrade): boolean => status.state === 'Running';

export const inFlightIn = ({ groups }: StageUpgrade): readonly MemberUpgrade[] =>
  groups.flatMap(({ members }) => members.filter(isInFlight));

export const isDone = ({ status }: { readonly status: { readonly state: string } }): boolean =>
  ['Completed', 'Skipped', 'Failed'].includes(status.state);
