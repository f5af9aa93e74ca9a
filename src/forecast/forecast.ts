import type { ClusterName, Condition, Timestamp } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { StagedUpdateRun } from '../api/staged.ts';
import type { ManagedClusterUpdate } from '../api/upgrade-run.ts';
import { wasGiven } from '../engine/bindings/cleanup.ts';
import { reappliedClusters } from '../engine/delivery/reapplied.ts';
import { strategyOf } from '../engine/delivery/staying-bindings.ts';
import type { FleetRecord, PlanInput } from '../engine/input.ts';
import { conditionIs, findCondition, isFulfilled } from '../engine/kernel/condition.ts';
import { formatInstant, parseInstant } from '../engine/kernel/instant.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { GuardFinding, Hold, Plan, PlannedRun } from '../engine/plan-document.ts';
import { approvalKind } from '../engine/staged/approval/answer.ts';
import { concurrencyOf } from '../engine/staged/execute/current-stage.ts';
import type { NotRolledOut } from '../engine/staged/not-rolled-out.ts';
import { stateOf } from '../engine/staged/run-state.ts';
import { placementTargets } from '../engine/target-kinds.ts';
import { isOver, isRunOf, placementOfRun } from '../engine/update-run.ts';
import { answeredIn } from './answered.ts';
import type { Assumptions } from './assumptions.ts';
import type { EqualWaves } from './equal-waves.ts';
import { failureOf } from './failure.ts';
import { heldTimes } from './held-times.ts';
import { type NodeForecast, nodeForecasts } from './node-forecasts.ts';
import { type PlacementEnd, placementEnd } from './placement-end.ts';
import { heldRemovals, isSameRefusal, needsRemovals, type Refusal, refusalsIn } from './refusals.ts';
import { type StageContext, stageOf } from './run-stages.ts';
import type { ClusterSpan, RolloutStage, Wait } from './spans.ts';
import { type ForecastRun, type ForecastStep, forecastSteps } from './steps.ts';
import { type UpgradeForecast, upgradeForecasts } from './upgrade-forecasts.ts';

/** When the changes of a fleet would happen, if members and people do as supposed. */
export interface Forecast {
  readonly apiVersion: 'gitfleet.dev/v1alpha1';
  readonly kind: 'Forecast';
  readonly from: Timestamp;
  /** The horizon. */
  readonly until: Timestamp;
  /** As of `ForecastRun`. */
  readonly end: ForecastRun['end'];
  /** When the last change is done; absent if nothing changes, not everything is done, a removal stays held, or a run fails. */
  readonly doneAt?: Timestamp;
  /** Update runs that are not over, and placements that roll out by themselves and change, in order of their start. */
  readonly rollouts: readonly Rollout[];
  /** Clusters that get objects of a placement anew at once, by no rollout: a label that overrides read, or the apply strategy, changes. */
  readonly reapplied: readonly Reapplied[];
  /** Cluster update runs that are not over, in order of their start. */
  readonly upgrades: readonly UpgradeForecast[];
  /** Members whose nodes are planned, by name. What happens to nodes has no part in `doneAt`. */
  readonly nodes: readonly NodeForecast[];
  /** Cluster update runs that profiles propose by the end. They start when someone merges them, which is not supposed. */
  readonly proposals: readonly ProposedUpgrade[];
  /** Placements that the last plan leaves without all of their clusters. */
  readonly shortages: readonly PlacementRef[];
  /** External placements with changes that no update run rolls out by the end. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** Findings of the guard on the last plan. */
  readonly guard: readonly GuardFinding[];
  /** Findings of any plan, and holds that a RemovalApproval ends. */
  readonly refusals: readonly Refusal[];
}

export interface Reapplied {
  readonly placement: PlacementRef;
  readonly clusters: readonly ClusterName[];
}

export interface ProposedUpgrade {
  readonly run: string;
  /** The AutoUpgradeProfile. */
  readonly profile?: string;
  readonly managedClusterUpdate: ManagedClusterUpdate;
}

export interface Rollout {
  readonly placement: PlacementRef;
  /** Name of the update run. */
  readonly run?: string;
  readonly from?: Timestamp;
  /** Absent: it is not over by the horizon. */
  readonly to?: Timestamp;
  /** How an update run stands at the end of the forecast. */
  readonly state?: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;
  /**
   * What an update run that is not over waits for, where its state does not say it: another run, `state: Run` in its file; and what else
   * needs an approval of removals.
   */
  readonly waitsFor?: string;
  /** Clusters that are not done by the end because they are not responding. */
  readonly notResponding?: readonly ClusterName[];
  /** Of an update run that fails, or is stuck: what the clusters of its placement have at the end, also by other runs. */
  readonly ends?: readonly PlacementEnd[];
  readonly stages: readonly RolloutStage[];
  /** What holds it as a whole. */
  readonly waits: readonly Wait[];
}

export function forecast(input: PlanInput, assumptions: Assumptions): Forecast {
  const run = forecastSteps(input, assumptions);
  return forecastOf(run, input, assumptions);
}

/**
 * The forecast of steps that were made from an input. `usual`: another one, whose parts are left out where they are the same.
 * `isUpgrading`: cluster update runs that count.
 */
export function forecastOf(
  run: ForecastRun,
  input: PlanInput,
  { untilMs }: Assumptions,
  {
    usual,
    isUpgrading = () => true,
  }: { readonly usual?: Forecast; readonly isUpgrading?: (run: string) => boolean } = {},
): Forecast {
  const { steps, end, silent } = run;
  const { plan, notRolledOut } = steps.at(-1)!.result;
  const isStuck = ({ to, stages }: Rollout): boolean =>
    end === 'settled' && to === undefined && stages.some(({ clusters }) => clusters.length > 0);
  const same = new Map(usual?.rollouts.map(({ ends: _, ...rollout }) => [idOf(rollout), rollout]));
  const refusals = refusalsIn(steps);
  const held = Map.groupBy(heldRemovals(refusals), (subject) => placementKey(subject));
  const rollouts = [...runRollouts(steps, input, refusals), ...ownRollouts(steps, input)]
    .map((rollout) => withHeld(rollout, held.get(placementKey(rollout.placement))))
    .map((rollout) => withNotResponding(rollout, inFlight(rollout), silent))
    .filter((rollout) => !sameValue(rollout, same.get(idOf(rollout))))
    .map((rollout) =>
      rollout.run !== undefined && (failureOf(rollout) !== undefined || isStuck(rollout))
        ? { ...rollout, ends: placementEnd(rollout.placement, plan) }
        : rollout,
    )
    .sort((a, b) => orderOf(a) - orderOf(b));
  const proposed = new Set(usual?.proposals.map(({ run: name }) => name));
  const upgrading = upgradeForecasts(steps, input).filter((of) => isUpgrading(of.run));
  const upgrades = upgrading.map((of) => withNotResponding(of, pendingIn(of), silent));
  const all = [...rollouts, ...upgrades];
  const ends = all.map(({ to }) => to);
  const own = usual ? refusals.filter((refusal) => !usual.refusals.some((of) => isSameRefusal(of, refusal))) : refusals;
  const isDone =
    all.length > 0 &&
    all.every((of) => of.to !== undefined && failureOf(of) === undefined) &&
    heldRemovals(own).length === 0;
  return {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Forecast',
    from: input.now,
    until: formatInstant((parseInstant(input.now) ?? 0) + untilMs),
    end,
    ...(isDone && { doneAt: ends.map((to) => to!).reduce((latest, to) => (to > latest ? to : latest)) }),
    rollouts,
    reapplied: reappliedIn(steps[0]!.result, usual?.reapplied),
    upgrades,
    nodes: nodeForecasts(run),
    proposals: proposalsOf(plan).filter(({ run: name }) => !proposed.has(name)),
    shortages: plan.placements.filter(({ scheduled }) => scheduled.status === 'False').map(refOf),
    notRolledOut,
    guard: plan.guard,
    refusals: own,
  };
}

/** Without those of `usual`. */
function reappliedIn({ plan, contents }: PlanResult, usual: readonly Reapplied[] = []): Reapplied[] {
  const known = new Map(usual.map(({ placement, clusters }) => [placementKey(placement), new Set<string>(clusters)]));
  return plan.placements.flatMap((placement) => {
    const anew = reappliedClusters(contents, placement);
    const work = contents.works.get(placementKey(placement));
    const isApplied = (cluster: ClusterName): boolean =>
      work !== undefined && strategyOf(work, cluster).type !== 'ReportDiff';
    const others = known.get(placementKey(placement));
    const clusters = placement.bindings.flatMap(({ clusterName, move }) =>
      move === 'keep' && anew.has(clusterName) && isApplied(clusterName) && !others?.has(clusterName)
        ? [clusterName]
        : [],
    );
    return clusters.length === 0 ? [] : [{ placement: refOf(placement), clusters }];
  });
}

const proposalsOf = ({ approvals }: Pick<Plan, 'approvals'>): ProposedUpgrade[] =>
  approvals.flatMap(({ file }) => {
    if (file?.object.kind !== 'UpdateRun') return [];
    const { metadata, spec } = file.object;
    const { autoUpgradeProfileId: profile, managedClusterUpdate } = spec;
    return [{ run: metadata.name, ...(profile !== undefined && { profile }), managedClusterUpdate }];
  });

const refOf = ({ kind, name, namespace }: PlacementRef): PlacementRef => ({
  kind,
  name,
  ...(namespace !== undefined && { namespace }),
});

/** With those of the clusters that it waits for that never respond. */
function withNotResponding<Of extends Rollout | UpgradeForecast>(
  of: Of,
  waiting: readonly ClusterName[],
  silent: ReadonlySet<ClusterName>,
): Of {
  const notResponding = of.to === undefined ? [...new Set(waiting).intersection(silent)] : [];
  return notResponding.length === 0 ? of : { ...of, notResponding };
}

/** With the removals that keep one that needs no update run from its end. */
function withHeld(rollout: Rollout, held: readonly Hold['subject'][] = []): Rollout {
  if (rollout.run !== undefined || rollout.to !== undefined || held.length === 0) return rollout;
  return { ...rollout, waitsFor: needsRemovals(held) };
}

const inFlight = ({ stages }: Rollout): ClusterName[] =>
  stages.flatMap(({ clusters }) => clusters).flatMap(({ clusterName, to }) => (to === undefined ? [clusterName] : []));

const pendingIn = ({ stages }: UpgradeForecast): ClusterName[] =>
  stages
    .flatMap(({ left }) => left)
    .flatMap(({ clusterName, status }) => (status.state === 'Pending' ? [clusterName] : []));

const idOf = ({ placement, run }: Rollout): string => `${placementKey(placement)} ${run ?? ''}`;

const orderOf = ({ from }: Rollout): number => parseInstant(from ?? '') ?? Number.MAX_SAFE_INTEGER;

/** Update runs that are not over at the beginning, as the last plan records them, or the first that is refused until the end. */
function runRollouts(
  steps: readonly ForecastStep[],
  { record, now }: PlanInput,
  refusals: readonly Refusal[],
): Rollout[] {
  const accepted = steps.findLastIndex(({ result: { plan } }) => plan.guard.length === 0);
  const last = (steps[accepted + 1] ?? steps[accepted])!.result;
  const { members } = last.contents.world;
  const installs = installsOf(steps);
  const begun = installsIn(record);
  const approvedAt = answeredIn(steps, 'approved');
  const isMember = (cluster: ClusterName): boolean => members.get(cluster)?.leaving === false;
  const files = new Map(last.contents.world.admitted.runs.map((run) => [placementKey(run.metadata), run]));
  return last.plan.runs.flatMap((run): Rollout[] => {
    const key = placementKey(run);
    const file = files.get(key);
    if (file === undefined || isOver(record.runs.get(key)?.status ?? {})) return [];
    const { status } = run;
    const { rollbackStatus, stagesStatus = [], deletionStageStatus, conditions = [] } = status;
    const removals = (deletionStageStatus?.clusters.length ?? 0) > 0 ? [deletionStageStatus!] : [];
    const freezes = heldTimes(steps, run, 'freeze');
    const placement = placementOfRun(file);
    const given = givenIn(steps, placement, deletionStageStatus?.clusters ?? []);
    const isInstall: StageContext['isInstall'] = (cluster, from) => {
      const id = `${placementKey(placement)} ${cluster}`;
      return from < now ? begun.has(id) : installs.has(`${id} ${from}`);
    };
    const { namespace } = run;
    const approved: StageContext['approved'] = (name) => approvedAt({ kind: approvalKind(file), name, namespace });
    const state =
      conditions.find(({ type, status: is }) => type === 'Succeeded' && is !== 'Unknown') ??
      findCondition(conditions, 'Progressing') ??
      findCondition(conditions, 'Initialized');
    const to = isOver(status) ? state?.lastTransitionTime : undefined;
    const returnsAt = rollbackStatus?.stagesStatus.flatMap(({ startTime }) => startTime ?? []).sort()[0];
    const failedAt = returnsAt ?? (state && failureOf({ state }) === undefined ? undefined : to);
    const earlier = record.runs.get(key)?.status;
    const stages = [
      ...[...stagesStatus, ...removals].map((stage, at) => ({
        ...stageOf(stage, {
          status,
          isRemoved: (name) => isMember(name) && given.has(name),
          freezes,
          isInstall,
          approved,
          refusals,
          earlier,
          failedAt,
        }),
        ...(at < stagesStatus.length && { atOnce: concurrencyOf(status, at) }),
      })),
      ...(rollbackStatus?.stagesStatus ?? []).map((stage) => ({
        ...stageOf(stage, {
          ...{
            status,
            isRemoved: isMember,
            freezes: new Map(),
            isInstall: () => false,
            approved,
            refusals,
            earlier: undefined,
          },
          failedAt: undefined,
        }),
        isRollback: true as const,
      })),
    ].filter(({ clusters, notStarted, waits }) => clusters.length + notStarted + waits.length > 0);
    const starts = stages.flatMap(({ from }) => from ?? []).sort();
    const waitsFor = to === undefined ? whatHolds(run, file, last.plan.holds) : undefined;
    return [
      {
        placement,
        run: run.name,
        ...(starts[0] !== undefined && { from: starts[0] }),
        ...(to !== undefined && { to }),
        ...(state && {
          state: { type: state.type, status: state.status, reason: state.reason, message: state.message },
        }),
        ...(waitsFor !== undefined && { waitsFor }),
        stages,
        waits: freezes.get('') ?? [],
      },
    ];
  });
}

/** Which of these clusters the placement gave something, as the last plan knows that has a binding there. */
function givenIn(
  steps: readonly ForecastStep[],
  placement: PlacementRef,
  clusters: readonly { readonly clusterName: string }[],
): ReadonlySet<string> {
  const unknown = new Set(clusters.map(({ clusterName }) => clusterName));
  const given = new Set<string>();
  for (let at = steps.length - 1; at >= 0 && unknown.size > 0; at--) {
    const { bindings = [] } = steps[at]!.result.contents.works.get(placementKey(placement)) ?? {};
    for (const { binding } of bindings)
      if (unknown.delete(binding.targetCluster) && wasGiven(binding)) given.add(binding.targetCluster);
  }
  return given;
}

/** Of a run that is not over: what its state does not say. */
function whatHolds(
  { kind, name, namespace, status: { conditions } }: PlannedRun,
  file: StagedUpdateRun,
  holds: readonly Hold[],
): string | undefined {
  const hasBegun = findCondition(conditions, 'Progressing') !== undefined;
  const hold = holds.find(
    ({ reason, subject }) =>
      subject.kind === kind &&
      subject.name === name &&
      subject.namespace === namespace &&
      (reason === 'ApprovalStale' || (!hasBegun && subject.clusterName === undefined)),
  );
  const isIdle = !hasBegun && stateOf(file) === 'Initialize';
  if (stateOf(file) === 'Stop') return 'it is stopped, and continues once its file says state: Run';
  return hold?.message ?? (isIdle ? 'it is initialized, and starts once its file says state: Run' : undefined);
}

/** `PLACEMENT CLUSTER START` where a plan installs a placement that the cluster does not have. */
function installsOf(steps: readonly ForecastStep[]): ReadonlySet<string> {
  const installs = new Set<string>();
  for (const { now, result } of steps)
    for (const { bindings, ...placement } of result.plan.placements)
      for (const { clusterName, move } of bindings)
        if (move === 'add') installs.add(`${placementKey(placement)} ${clusterName} ${now}`);
  return installs;
}

/** `PLACEMENT CLUSTER` of installs in progress: nothing of the placement has been applied there yet. */
const installsIn = ({ placements }: FleetRecord): ReadonlySet<string> =>
  new Set(
    [...placements].flatMap(([key, { state }]) =>
      state.bindings
        .filter(
          ({ resourceSnapshotIndex, appliedResourceSnapshotIndex, conditions }) =>
            resourceSnapshotIndex !== undefined &&
            appliedResourceSnapshotIndex === undefined &&
            !conditionIs(conditions, 'Applied', 'True'),
        )
        .map(({ targetCluster }) => `${key} ${targetCluster}`),
    ),
  );

/** Placements that roll out by themselves, and those that are removed. */
function ownRollouts(steps: readonly ForecastStep[], { record }: PlanInput): Rollout[] {
  const spans = new Map<string, { readonly placement: PlacementRef; readonly clusters: ClusterSpan[] }>();
  const open = new Map<string, { readonly span: ClusterSpan; readonly list: ClusterSpan[] }>();
  for (const { now, result, waves } of steps) {
    const { plan, contents } = result;
    if (plan.guard.length > 0) continue;
    const seen = new Set<string>();
    for (const { bindings, ...placement } of [...plan.placements, ...deletedPlacements(plan)]) {
      const key = placementKey(placement);
      let updated = 0;
      const external = contents.works.get(key)?.placement.spec.strategy.type === 'External';
      const byRuns = external ? removedByRuns(result, placement, record) : new Set();
      for (const { clusterName, move, conditions } of bindings) {
        const id = `${key} ${clusterName} ${move === 'remove' ? 'remove' : 'update'}`;
        const isMoving = move === 'add' || move === 'update' || move === 'remove';
        if (isMoving && move !== 'remove') close(id, now);
        const size = move === 'update' && !external ? waves?.sizes.get(key) : undefined;
        if (waves && size !== undefined) {
          add({ placement, clusterName, action: 'update', ...timesIn(waves, Math.floor(updated++ / size), now) });
          continue;
        }
        if (isMoving) seen.add(id);
        const isOwn = !external || (move === 'remove' && !byRuns.has(clusterName));
        if (isMoving && isOwn && !open.has(id)) open.set(id, add({ placement, clusterName, action: move, from: now }));
        if (move !== 'remove' && open.has(id) && isFulfilled(conditions)) close(id, now);
        if (open.has(id)) seen.add(id);
      }
    }
    for (const id of open.keys()) if (!seen.has(id)) close(id, now);
  }
  const last = new Map(steps.at(-1)!.result.plan.placements.map((placement) => [placementKey(placement), placement]));
  return [...spans.values()].map(({ placement, clusters }) => {
    const { kind, name, namespace } = placement;
    const started = new Set(clusters.map(({ clusterName }) => clusterName));
    const { bindings = [] } = last.get(placementKey(placement)) ?? {};
    const notStarted = bindings.filter(({ move, clusterName }) => move === 'wait' && !started.has(clusterName)).length;
    const freezes =
      heldTimes(steps, { kind, name, ...(namespace === undefined ? {} : { namespace }) }, 'freeze').get('') ?? [];
    const ends = clusters.map(({ to }) => to);
    const to = ends.every((end) => end !== undefined)
      ? ends.reduce((last, end) => (end! > last! ? end : last))
      : undefined;
    const from = clusters.map((span) => span.from).sort()[0]!;
    const times = { from, ...(to !== undefined && { to }) };
    return {
      placement: { kind, name, ...(namespace !== undefined && { namespace }) },
      ...times,
      stages: [{ ...times, clusters, notStarted, waits: freezes }],
      waits: [],
    };
  });

  function add({ placement, ...span }: ClusterSpan & { readonly placement: PlacementRef }) {
    const key = placementKey(placement);
    const entry = spans.get(key) ?? { placement, clusters: [] };
    spans.set(key, entry);
    entry.clusters.push(span);
    return { span, list: entry.clusters };
  }
  function close(id: string, to: Timestamp): void {
    const entry = open.get(id);
    if (entry === undefined) return;
    entry.list[entry.list.indexOf(entry.span)] = { ...entry.span, to };
    open.delete(id);
  }
}

/** Clusters from which update runs that are shown remove a placement. Others leave an External one without any: by eviction, say. */
function removedByRuns(
  { plan, contents }: ForecastStep['result'],
  placement: PlacementRef,
  { runs }: FleetRecord,
): ReadonlySet<string> {
  const own = new Set(
    contents.world.admitted.runs.filter((run) => isRunOf(run, placement)).map(({ metadata }) => placementKey(metadata)),
  );
  return new Set(
    plan.runs
      .filter((run) => own.has(placementKey(run)) && !isOver(runs.get(placementKey(run))?.status ?? {}))
      .flatMap(({ status }) => status.deletionStageStatus?.clusters ?? [])
      .map(({ clusterName }) => clusterName),
  );
}

/** When a wave begins and ends, of those that begin at an instant. */
function timesIn({ tookMs }: EqualWaves, wave: number, now: Timestamp): Required<Pick<ClusterSpan, 'from' | 'to'>> {
  const from = (parseInstant(now) ?? 0) + wave * tookMs;
  return { from: formatInstant(from), to: formatInstant(from + tookMs) };
}

/** Placements without a file, with the clusters that they are still removed from. */
function deletedPlacements({ placements, targets }: Plan) {
  const present = new Set(placements.map((placement) => placementKey(placement)));
  const gone = placementTargets(targets).filter(
    ({ placement, remove }) => remove && !present.has(placementKey(placement)),
  );
  return [...Map.groupBy(gone, ({ placement }) => placementKey(placement)).values()].map((of) => ({
    ...of[0]!.placement,
    bindings: of.map(({ clusterName }) => ({ clusterName, move: 'remove' as const, conditions: [] })),
  }));
}
