import type { ClusterName, Timestamp } from '../api/meta.ts';
import type { ManagedClusterUpdate } from '../api/upgrade-run.ts';
import type { GateStatus, GroupUpgrade, MemberUpgrade, StageUpgrade, UpgradeRunStatus } from '../api/upgrade-status.ts';
import type { PlanInput } from '../engine/input.ts';
import { plannedUpgradeRuns } from '../engine/plan-document.ts';
import { isInFlight, isTerminal, membersOf } from '../engine/upgrade/tree.ts';
import { type AnsweredAt, answeredIn } from './answered.ts';
import { heldTimes } from './held-times.ts';
import type { ClusterSpan, RolloutStage, Wait } from './spans.ts';
import type { ForecastStep } from './steps.ts';

/** Which clusters a cluster update run upgrades when, and which not. */
export interface UpgradeForecast {
  readonly run: string;
  readonly managedClusterUpdate: ManagedClusterUpdate;
  readonly from?: Timestamp;
  /** Absent: it is not over by the horizon. */
  readonly to?: Timestamp;
  /** How it stands at the end of the forecast. */
  readonly status: UpgradeRunStatus['status'];
  /** What holds it as a whole at the end of the forecast: a gate, a strategy that is missing. */
  readonly waitsFor?: string;
  /** Clusters that wait at the end because they are not responding. */
  readonly notResponding?: readonly ClusterName[];
  /** Members that are over by then, of all. */
  readonly done: number;
  readonly total: number;
  readonly stages: readonly UpgradeForecastStage[];
  readonly waits: readonly Wait[];
}

export interface UpgradeForecastStage extends RolloutStage {
  readonly name: string;
  readonly clusters: readonly UpgradeSpan[];
  /** Members that it leaves as they are, or that still wait at the end, and why. */
  readonly left: readonly LeftMember[];
}

/** One operation. With `chainMinors` a cluster has several. */
export interface UpgradeSpan extends ClusterSpan {
  readonly versions: Pick<MemberUpgrade, 'from' | 'to'>;
}

export type LeftMember = { readonly clusterName: ClusterName } & Pick<MemberUpgrade, 'status'>;

/** Those that a run upgrades within the time of the forecast, or later. */
export const clustersToUpgrade = ({ stages }: UpgradeForecast): ClusterName[] =>
  stages.flatMap(({ clusters, left }) => [
    ...clusters.map(({ clusterName }) => clusterName),
    ...left.flatMap(({ clusterName, status }) => (isTerminal({ status }) ? [] : [clusterName])),
  ]);

/** Those that fail before anything is started on them: no provider upgrades them, or not to that version. */
export const clustersThatFailAtOnce = ({ stages }: UpgradeForecast): ClusterName[] =>
  stages.flatMap(({ clusters, left }) =>
    left.flatMap(({ clusterName, status: { state } }) =>
      state === 'Failed' && !clusters.some((span) => span.clusterName === clusterName) ? [clusterName] : [],
    ),
  );

/** Cluster update runs that are neither over nor stopped at the beginning, in order of their start. */
export function upgradeForecasts(
  steps: readonly ForecastStep[],
  { fleet, record, now }: Pick<PlanInput, 'fleet' | 'record' | 'now'>,
): readonly UpgradeForecast[] {
  const specs = new Map(
    [...record.upgrades.values(), ...fleet.upgradeRuns].map((run) => [run.metadata.name, run.spec]),
  );
  const last = new Map(
    steps.flatMap(({ result }) => plannedUpgradeRuns(result.plan)).map(({ name, status }) => [name, status]),
  );
  const spans = operationsOf(steps);
  const answered = answeredIn(steps);
  const { holds } = steps.at(-1)!.result.plan;
  const holdOf = (name: string): string | undefined =>
    holds.find(
      ({ subject: { kind, name: of, clusterName } }) =>
        kind === 'UpdateRun' && of === name && clusterName === undefined,
    )?.message;
  return [...last]
    .filter(([name, { status, stages }]) => {
      const before = record.upgrades.get(name)?.status?.status;
      const isStopped =
        specs.get(name)?.state === 'Stopped' && stages.every((stage) => !spans.has(`${name} ${stage.name}`));
      return !isStopped && (status.completedTime === undefined || status.completedTime !== before?.completedTime);
    })
    .map(([name, { status, stages }]): UpgradeForecast => {
      const held = (kind: 'freeze' | 'window') => heldTimes(steps, { kind: 'UpdateRun', name }, kind);
      const [frozen, closed] = [held('freeze'), held('window')];
      const members = stages.flatMap(membersOf);
      return {
        run: name,
        managedClusterUpdate: specs.get(name)!.managedClusterUpdate,
        ...(status.startTime !== undefined && { from: status.startTime }),
        ...(status.completedTime !== undefined && { to: status.completedTime }),
        status,
        ...(holdOf(name) && { waitsFor: holdOf(name) }),
        done: members.filter(isTerminal).length,
        total: members.length,
        stages: stages
          .map((stage) => {
            const waits = [...(frozen.get(stage.name) ?? []), ...(closed.get(stage.name) ?? [])];
            return stageOf(stage, { spans: spans.get(`${name} ${stage.name}`) ?? [], waits, now, answered });
          })
          .filter(({ clusters, waits, left }) => clusters.length + waits.length + left.length > 0),
        waits: frozen.get('') ?? [],
      };
    })
    .sort((a, b) => (a.from ?? '~').localeCompare(b.from ?? '~'));
}

function stageOf(
  stage: StageUpgrade,
  of: {
    readonly spans: readonly UpgradeSpan[];
    readonly waits: readonly Wait[];
    readonly now: Timestamp;
    readonly answered: AnsweredAt;
  },
): UpgradeForecastStage {
  const { startTime, completedTime } = stage.status;
  const waits = [
    ...[stage, ...stage.groups].flatMap((part) => gateWaits(part, of.answered)),
    ...of.waits,
    ...soakOf(stage),
    // What is over before the forecast begins is no part of it.
  ].filter(({ to }) => to === undefined || to > of.now);
  const started = new Set(of.spans.map(({ clusterName }) => clusterName));
  return {
    name: stage.name,
    ...(startTime !== undefined && { from: startTime }),
    ...(completedTime !== undefined && { to: completedTime }),
    clusters: of.spans,
    notStarted: membersOf(stage).filter((member) => !isTerminal(member) && !started.has(member.name)).length,
    waits,
    left: membersOf(stage)
      .filter(({ status: { state, completedTime: ended = of.now } }) =>
        state === 'Completed' || state === 'Running' ? false : ended >= of.now,
      )
      .map(({ name, status }) => ({ clusterName: name, status })),
  };
}

const gateWaits = ({ beforeGates, afterGates }: StageUpgrade | GroupUpgrade, answered: AnsweredAt): Wait[] =>
  [...beforeGates, ...afterGates].flatMap(
    ({ type, gateId, status: { state, startTime, completedTime } }: GateStatus): Wait[] => {
      if (startTime === undefined || state === 'Skipped') return [];
      const approval = type === 'Approval' ? gateId : undefined;
      const at = completedTime && approval ? answered({ kind: 'Gate', name: approval }) : undefined;
      const to = completedTime && [completedTime, at ?? completedTime].sort()[0];
      const kind = type === 'Approval' ? 'approval' : 'start';
      return [{ kind, from: startTime, ...(to !== undefined && { to }), ...(approval !== undefined && { approval }) }];
    },
  );

function soakOf({ afterStageWaitStatus }: StageUpgrade): Wait[] {
  const { startTime, completedTime } = afterStageWaitStatus?.status ?? {};
  if (startTime === undefined) return [];
  return [{ kind: 'soak', from: startTime, ...(completedTime !== undefined && { to: completedTime }) }];
}

/** Operations of all runs in order of their start, by run and stage. */
function operationsOf(steps: readonly ForecastStep[]): ReadonlyMap<string, readonly UpgradeSpan[]> {
  const found = new Map<string, UpgradeSpan[]>();
  /** By run and cluster: what is in flight, with its place. */
  const open = new Map<string, { readonly operationId: string; readonly list: UpgradeSpan[]; readonly at: number }>();
  const seen = new WeakSet<MemberUpgrade>();
  for (const { now, result } of steps)
    for (const { name: run, status } of plannedUpgradeRuns(result.plan))
      for (const stage of status.stages)
        for (const member of membersOf(stage)) {
          // Most members are the same value as in the step before.
          if (seen.has(member)) continue;
          seen.add(member);
          const key = `${run} ${member.name}`;
          const before = open.get(key);
          const isSame = isInFlight(member) && before?.operationId === member.operationId;
          if (before && !isSame) {
            before.list[before.at] = { ...before.list[before.at]!, to: now };
            open.delete(key);
          }
          if (isSame || !isInFlight(member)) continue;
          const list = found.get(`${run} ${stage.name}`) ?? [];
          found.set(`${run} ${stage.name}`, list);
          open.set(key, { operationId: member.operationId ?? '', list, at: list.push(spanOf(member, now)) - 1 });
        }
  return found;
}

const spanOf = ({ name, status, from, to }: MemberUpgrade, now: Timestamp): UpgradeSpan => ({
  clusterName: name,
  action: 'upgrade',
  from: status.startTime ?? now,
  versions: { ...(from && { from }), ...(to && { to }) },
});
