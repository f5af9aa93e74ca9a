import type { UpgradeGate } from '../../../api/upgrade-gate.ts';
import type { GateStatus, StageUpgrade } from '../../../api/upgrade-status.ts';
import { parseInstant } from '../../kernel/instant.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { UpgradeChange } from './upgrade-changes.ts';

/** A gate is passed by an approval of the present review on main, or by its time; nothing behind it starts, and no stage ends, before. */
export function unpassedGates(change: UpgradeChange, evidence: Evidence): GuardFinding[] {
  const { name, status, before, starts } = change;
  const finding = (message: string): GuardFinding => ({ rule: 'gate-not-approved', message: `run ${name} ${message}` });
  const early = starts.flatMap(({ stage, group, member }) =>
    [...stage.beforeGates, ...group.beforeGates].every(isPassed)
      ? []
      : [finding(`would start ${member.name} before a gate of ${group.name} is passed`)],
  );
  return [
    ...early,
    ...status.stages.flatMap((stage, at) => {
      const known = before?.status?.stages[at];
      const ends = stage.status.state === 'Completed' && known?.status.state !== 'Completed';
      return [
        ...(ends && !scopesOf(stage).every(({ status, afterGates }) => isSkipped(status) || afterGates.every(isPassed))
          ? [finding(`would end stage ${stage.name} before its gates are passed`)]
          : []),
        ...(ends && !isWaitOver(stage, evidence)
          ? [finding(`would end stage ${stage.name} before its wait is over`)]
          : []),
        ...gatesOf(stage).flatMap((gate, index) => {
          const earlier = known && gatesOf(known)[index];
          if (gate.status.state !== 'Completed' || earlier?.status.state === 'Completed') return [];
          return isAnswered(gate, earlier, change, evidence)
            ? []
            : [finding(`counts gate ${gate.gateId} as passed, but no approval of it is on main`)];
        }),
      ];
    }),
  ];
}

const scopesOf = (stage: StageUpgrade) => [stage, ...stage.groups];

const gatesOf = (stage: StageUpgrade): GateStatus[] =>
  scopesOf(stage).flatMap(({ beforeGates, afterGates }) => [...beforeGates, ...afterGates]);

const isPassed = ({ status: { state } }: GateStatus): boolean => state === 'Completed';

/** Gates of a skipped scope are skipped with it. */
const isSkipped = ({ state }: StageUpgrade['status']): boolean => state === 'Skipped';

function isWaitOver({ afterStageWaitStatus: wait }: StageUpgrade, { now }: Evidence): boolean {
  if (wait === undefined || wait.status.state === 'Skipped') return true;
  const since = parseInstant(wait.status.startTime ?? '');
  return since !== undefined && since + wait.waitDurationInSeconds * 1000 <= (parseInstant(now) ?? 0);
}

function isAnswered(
  gate: GateStatus,
  earlier: GateStatus | undefined,
  { name, before, gates }: UpgradeChange,
  { now, plan, fleet }: Evidence,
): boolean {
  const opensAt = earlier?.absoluteStartTime ?? gate.absoluteStartTime;
  if (gate.type === 'ScheduledStart' && (parseInstant(opensAt ?? '') ?? Infinity) <= (parseInstant(now) ?? 0))
    return true;
  const asked = plan.approvals.find(({ planned }) => planned.kind === 'Gate' && planned.name === gate.gateId);
  const handWritten = fleet.config?.spec.approvals?.handWritten === true;
  const known = new Set(before?.status?.earlyApprovals?.map(({ name: of, review }) => `${of} ${review}`));
  return gates.some((file: UpgradeGate) => {
    const review = file.metadata.annotations?.['gitfleet.dev/review'];
    const isOwn = file.metadata.name === gate.gateId && file.spec.target.updateRunProperties.name === name;
    if (!isOwn || file.spec.state !== 'Completed') return false;
    if (review !== undefined && review !== asked?.planned.reviewDigest) return false;
    // What was reviewed was there before: an approval that came with its run reviewed nothing.
    return (
      handWritten ||
      (review !== undefined && before?.status?.status.startTime !== undefined && !known.has(`${gate.gateId} ${review}`))
    );
  });
}
