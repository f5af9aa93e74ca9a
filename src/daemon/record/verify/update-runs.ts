import { type MemberCluster, memberAgentOf } from '../../../api/member-cluster.ts';
import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import { type PlacementPolicy, placementKey, refOf } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import { parseIndex } from '../../../api/syntax.ts';
import type { EarlyApproval } from '../../../engine/gate/early-approvals.ts';
import { type Fleet, type FleetRecord, writtenPlacements } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { findCondition } from '../../../engine/kernel/condition.ts';
import { parseInstant } from '../../../engine/kernel/instant.ts';
import { matchesSelector } from '../../../engine/kernel/selector.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import { idsOf, type RecordedLists, snapshotId } from '../../../engine/overrides/snapshot-id.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { absenceMeansNothing } from '../../../engine/recovery/last-good.ts';
import { hashOfContents } from '../../../engine/selection/content-hash.ts';
import type { ReviewedRun } from '../../../engine/staged/approval/review-digest.ts';
import { currentStage } from '../../../engine/staged/execute/current-stage.ts';
import { rollsBack } from '../../../engine/staged/failure-policy.ts';
import { strategyOfRun } from '../../../engine/staged/initialize/stage-tasks.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { hasStarted, isStrategyOf, rollbackStages } from '../../../engine/staged/step.ts';
import { isInitialized, isOver, isRunOf, placementOfRun } from '../../../engine/update-run.ts';
import { sha256 } from '../../../repo/sha256.ts';
import type { FollowedHistory } from './followed-history.ts';
import { isCertainlyPicked, mayBePicked } from './may-be-picked.ts';
import {
  type GivenSnapshot,
  type PublishedPrevious,
  type RunBefore,
  withProvenPrevious,
} from './previous-snapshots.ts';
import { earlyAt, firstClosedGate, hasPassed } from './run-gates.ts';
import { selectionOf } from './selections.ts';
import { withdrawnApproval } from './withdrawn-approvals.ts';
import { hasOverride } from './written-overrides.ts';

/** Clusters that do not respond, by the status branch. */
export type Silent = Pick<ReadonlyMap<ClusterName, unknown>, 'has'>;

/** What a verified run that is not over may have rolled out. */
export interface ProvenRun {
  readonly placement: PlacementKey;
  readonly isOver: boolean;
  /** Of clusters that no later run reached. Whom those did reach, only the record says. */
  readonly isEarlier?: true;
  /** Clusters whose gates have all passed, with what it gave them; in a rollback what they had before. */
  readonly clusters: ReadonlyMap<string, GivenSnapshot>;
  /** Clusters from which it has started to remove the placement. */
  readonly emptied: ReadonlySet<string>;
}

/** A run whose last approval is withdrawn: that it started before, only the record says. */
export interface Unshown {
  readonly placement: PlacementKey;
  readonly index: number;
  /** Clusters where it counts as started since. */
  readonly clusters: readonly string[];
  /** What it rolled out if that is so. */
  readonly proven: ProvenRun;
}

/** `fault`: why the record of the run is not trusted. */
export type RunVerdict =
  | {
      readonly proven: ProvenRun | undefined;
      /** The run without claims that are not proven, and with early approvals that it leaves out, if it has such. */
      readonly limited?: { readonly run: StagedUpdateRun; readonly why: string };
      /** It is trusted if one of the clusters shows that it started there. */
      readonly unshown?: Unshown;
    }
  | { readonly fault: string };

/**
 * A recorded run is trusted when its file, its strategy, its contents and the labels of its clusters were on the followed branch at
 * the commit of its initialization, when each passed gate has an approval there of exactly what the run does, and when nothing has
 * started behind another gate. It rolls back only if its file requests it, and to proven snapshots. Soak times, and which clusters
 * have finished or failed, are not verified, since no gate depends on them. Of a run that is over only the clusters that it reached
 * are proven. `earlier`: finished runs of the placement before it, newest first.
 */
export async function verifyRun(
  run: StagedUpdateRun,
  record: Pick<FleetRecord, 'placements' | 'overrides' | 'clusters'>,
  {
    history,
    silent,
    earlier,
    known,
  }: {
    readonly history: FollowedHistory;
    readonly silent: Silent;
    readonly earlier: () => AsyncIterable<RunBefore>;
    readonly known: PublishedPrevious;
  },
): Promise<RunVerdict> {
  const { placements } = record;
  const { status } = run;
  if (status === undefined || !isInitialized(status)) return { proven: undefined };
  const { initializedFrom = history.tip } = commitsOf(run);
  const from = await history.fleetAt(initializedFrom);
  if (from === undefined)
    return { fault: 'the commit that it was initialized from is not in the history of the followed branch' };
  const contents = placements.get(keyOf(run))?.snapshots ?? new Map<number, readonly Manifest[]>();
  const progress = currentStage(status);
  const fault =
    shapeFault({ run, status }, { from, record, silent }) ??
    rollbackFault(run, [from, (await history.fleetAt(history.tip))!]) ??
    contentFault({ run, status, contents }, from) ??
    overridesFault({ run, status }, record, from) ??
    (progress.kind === 'inconsistent' ? progress.message : undefined);
  if (fault !== undefined) return { fault };
  const since = { from, initializedFrom, history };
  const closed = await firstClosedGate({ run, status, contents }, since);
  if (closed?.fault !== undefined) return { fault: closed.fault };
  if (closed !== undefined && hasPassed(status, closed.gate))
    return {
      fault: `it has passed the gate ${closed.gate.timing} stage ${closed.gate.stageName}, which is not approved`,
    };
  const stages = status.stagesStatus ?? [];
  const open =
    closed === undefined ? stages : stages.slice(0, closed.gate.stageIndex + (closed.gate.timing === 'after' ? 1 : 0));
  const { run: limited, dropped } = await withProvenPrevious(run, {
    ...{ from, initializedFrom, history, record, earlier, known },
  });
  const reached = new Set(
    open.flatMap(({ clusters }) => (isOver(status) ? clusters.filter(hasStarted) : clusters)).map(nameOf),
  );
  const all = (limited.status?.stagesStatus ?? []).flatMap(({ clusters }) => clusters);
  const whole = broughtBy(
    limited,
    all.filter((cluster) => reached.has(cluster.clusterName)),
  );
  const tip = { commit: history.tip, fleet: (await history.fleetAt(history.tip))! };
  const withdrawn = isOver(status) ? undefined : withdrawnApproval({ run, status, contents }, tip.fleet);
  const proven = withdrawn ? before(whole, stages.slice(0, withdrawn.openStages)) : whole;
  const unshown = withdrawn?.isBeyond && {
    placement: whole.placement,
    index: Number(status.resourceSnapshotIndexUsed),
    clusters: withdrawn.started,
    proven: whole,
  };
  const early = isOver(status) ? [] : withoutKnown(await earlyAt(run, tip, since), status);
  const why = [
    ...(dropped.length === 0
      ? []
      : [
          `the followed branch does not confirm what ${shortList(dropped)} had before the run: it cannot roll them back`,
        ]),
    ...(early.length === 0 ? [] : ['it leaves out approvals that came before the run: they stay refused']),
  ];
  const found = { proven, ...(unshown && { unshown }) };
  return why.length === 0 ? found : { ...found, limited: { run: withEarly(limited, early), why: why.join('; ') } };
}

/** What a run rolled out in its first stages. */
function before(proven: ProvenRun, stages: readonly StageStatus[]): ProvenRun {
  const names = new Set(stages.flatMap(({ clusters }) => clusters.map(nameOf)));
  const clusters = new Map([...proven.clusters].filter(([name]) => names.has(name)));
  return { ...proven, clusters, emptied: new Set() };
}

const withoutKnown = (
  early: readonly EarlyApproval[],
  { earlyApprovals = [] }: UpdateRunStatus,
): readonly EarlyApproval[] =>
  early.filter(({ name, review }) => !earlyApprovals.some((known) => known.name === name && known.review === review));

const withEarly = (run: StagedUpdateRun, early: readonly EarlyApproval[]): StagedUpdateRun =>
  early.length === 0
    ? run
    : { ...run, status: { ...run.status, earlyApprovals: [...(run.status?.earlyApprovals ?? []), ...early] } };

/** What a trusted run has rolled out, or may have, to `clusters`. What it rolled one back to is proven only where it is recorded. */
export function broughtBy(run: StagedUpdateRun, clusters: readonly ClusterUpdatingStatus[]): ProvenRun {
  const { status = {} } = run;
  const index = Number(status.resourceSnapshotIndexUsed);
  const emptied = (status.deletionStageStatus?.clusters ?? []).filter(hasStarted);
  const returned = new Set(rollbackStages(status).flatMap((stage) => stage.clusters.filter(hasStarted).map(nameOf)));
  const given = (cluster: ClusterUpdatingStatus): [string, GivenSnapshot][] => {
    if (!returned.has(cluster.clusterName)) return [[cluster.clusterName, { ...listsOf(cluster), index }]];
    const { previous } = cluster;
    return previous ? [[cluster.clusterName, { ...listsOf(previous), index: previous.resourceSnapshotIndex }]] : [];
  };
  return {
    placement: keyOf(run),
    isOver: isOver(status),
    clusters: new Map(clusters.flatMap(given)),
    emptied: new Set(emptied.map(nameOf)),
  };
}

const nameOf = ({ clusterName }: { readonly clusterName: string }): string => clusterName;

const listsOf = ({ clusterResourceOverrideSnapshots, resourceOverrideSnapshots }: RecordedLists): RecordedLists => ({
  clusterResourceOverrideSnapshots,
  resourceOverrideSnapshots,
});

/** A run rolls back only if its file requested it when it was initialized, or requests it now. */
const rollbackFault = (run: StagedUpdateRun, fleets: readonly Fleet[]): string | undefined =>
  run.status?.rollbackStatus === undefined ||
  fleets.some((fleet) => {
    const file = fileOf(run, fleet);
    return file !== undefined && rollsBack(file);
  })
    ? undefined
    : 'it rolls back, and its file on the followed branch does not request that';

export const keyOf = (run: StagedUpdateRun): PlacementKey => placementKey(placementOfRun(run));

/** Whether a fleet certainly does not have the run. */
export const isGone = (run: StagedUpdateRun, fleet: Fleet): boolean =>
  fileOf(run, fleet) === undefined && !absenceMeansNothing(fleet, { ...run.metadata, kind: run.kind });

export const fileOf = ({ kind, metadata }: StagedUpdateRun, { runs }: Fleet): StagedUpdateRun | undefined =>
  runs.find((file) => file.kind === kind && placementKey(file.metadata) === placementKey(metadata));

/** Whether snapshot and apply strategy of a run are those of its file, or of its placement at its initialization. */
function contentFault({ run, status, contents }: ReviewedRun, from: Fleet): string | undefined {
  const { resourceSnapshotIndex: named = '' } = run.spec;
  const index = Number(status.resourceSnapshotIndexUsed);
  if (named !== '' && parseIndex(named) !== index) return `it rolls out snapshot ${index}, but its file names ${named}`;
  const placement = writtenPlacements(from).get(keyOf(run));
  const { appliedStrategy } = status;
  if (placement === undefined) return undefined;
  if (appliedStrategy && canonicalJson(appliedStrategy) !== canonicalJson(placement.spec.strategy.applyStrategy))
    return 'its apply strategy is not that of the followed branch when it was initialized';
  // What replaced invalid files at that commit is unknown here.
  if (named !== '' || from.unreadable.length + from.refused.length > 0) return undefined;
  const selected = selectionOf(placement, from);
  const manifests = contents.get(index);
  if (selected === undefined || manifests === undefined) return undefined;
  return hashOfContents(manifests, sha256) === selected.hash
    ? undefined
    : `snapshot ${index} is not what its placement selected on the followed branch when it was initialized`;
}

/**
 * Whether the override snapshots of its clusters are what the followed branch had when it was initialized. One that names an older
 * snapshot takes overrides of that time.
 */
function overridesFault(
  { run, status }: { readonly run: StagedUpdateRun; readonly status: UpdateRunStatus },
  { overrides }: Pick<FleetRecord, 'overrides'>,
  from: Fleet,
): string | undefined {
  if ((run.spec.resourceSnapshotIndex ?? '') !== '' || from.unreadable.length + from.refused.length > 0)
    return undefined;
  const used = new Set((status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.flatMap(idsOf)));
  const other = [...overrides.values()]
    .flat()
    .find((snapshot) => used.has(snapshotId(snapshot)) && !hasOverride(from, snapshot));
  return other && `override snapshot ${snapshotId(other)} is not what the followed branch had when it was initialized`;
}

/** Whether run, strategy and stages are those of the fleet that it was initialized from. */
function shapeFault(
  { run, status }: { readonly run: StagedUpdateRun; readonly status: UpdateRunStatus },
  since: {
    readonly from: Fleet;
    readonly record: Pick<FleetRecord, 'placements' | 'clusters'>;
    readonly silent: Silent;
  },
): string | undefined {
  const { from } = since;
  const written = fileOf(run, from);
  if (written === undefined || !sameRun(written, run))
    return 'the followed branch did not have the run when it was initialized';
  const strategy = from.strategies.find((candidate) => isStrategyOf(candidate, run));
  const expected = strategy && strategyOfRun(strategy);
  const recorded = status.stagedUpdateStrategySnapshot;
  if (expected === undefined || recorded === undefined || canonicalJson(expected) !== canonicalJson(recorded))
    return 'its strategy is not that of the followed branch when it was initialized';
  const stages = status.stagesStatus ?? [];
  const members = new Map(from.members.map((member) => [member.metadata.name as string, member]));
  const isAsArranged =
    stages.length === expected.stages.length &&
    expected.stages.every(
      (config, at) => isStage(config, stages[at]!) && stages[at]!.clusters.every(isIn(config, members)),
    );
  if (!isAsArranged) return 'its stages are not those of its strategy and of the clusters of the followed branch';
  const empty = expected.stages.filter((_, at) => stages[at]!.clusters.length === 0);
  return empty.length === 0 ? undefined : emptyFault({ run, status, empty }, since);
}

/** Whether a stage that lists no clusters must have had some. */
function emptyFault(
  { run, status, empty }: EmptyStages,
  { from, record, silent }: Parameters<typeof shapeFault>[1],
): string | undefined {
  const { stagesStatus = [], deletionStageStatus } = status;
  const removed = deletionStageStatus ? [deletionStageStatus] : [];
  const listed = new Set([...stagesStatus, ...removed].flatMap(({ clusters }) => clusters.map(nameOf)));
  const { bindings = [] } = record.placements.get(keyOf(run))?.state ?? {};
  const given = new Set(bindings.filter(isGiven).map(({ targetCluster }) => targetCluster));
  const since = findCondition(status.conditions, 'Initialized')?.lastTransitionTime;
  const isPicked = (member: MemberCluster, policy: PlacementPolicy): boolean => {
    const { name } = member.metadata;
    if (given.has(name) && !listed.has(name)) return mayBePicked(member, policy);
    return isCertainlyPicked(member, policy) && !silent.has(name) && wasHealthyAt(record.clusters.get(name), since);
  };
  const emptied = empty.find((config) => hadClusters(config, run, { from, isPicked }));
  return emptied && `its stage ${emptied.name} lists no clusters, which may have skipped its gates`;
}

interface EmptyStages {
  readonly run: StagedUpdateRun;
  readonly status: UpdateRunStatus;
  readonly empty: readonly Strategy['stages'][number][];
}

/** Unlike a cluster that was picked after the initialization of a run. */
const isGiven = ({ state, resourceSnapshotIndex }: Binding): boolean =>
  state !== 'Unscheduled' && resourceSnapshotIndex !== undefined;

/** Whether a cluster was healthy at an instant, and ever since. */
function wasHealthyAt(member: MemberCluster | undefined, at: string | undefined): boolean {
  const conditions = memberAgentOf(member?.status)?.conditions ?? [];
  const until = parseInstant(at ?? '') ?? 0;
  return ['Joined', 'Healthy'].every((type) => {
    const { status, lastTransitionTime = '' } = findCondition(conditions, type) ?? {};
    return status === 'True' && (parseInstant(lastTransitionTime) ?? until) < until;
  });
}

/**
 * The gates of a stage without clusters are skipped. So a stage with gates must not be empty where one of its clusters has the placement,
 * or is certainly picked. Otherwise the placement may have picked none of them: it may want a number of clusters only, or one with certain
 * properties, and clusters have taints or do not respond.
 */
function hadClusters(
  config: Strategy['stages'][number],
  run: StagedUpdateRun,
  {
    from,
    isPicked,
  }: { readonly from: Fleet; readonly isPicked: (member: MemberCluster, policy: PlacementPolicy) => boolean },
): boolean {
  const hasGates = [...(config.beforeStageTasks ?? []), ...(config.afterStageTasks ?? [])].some(
    ({ type }) => type === 'Approval',
  );
  const { labelSelector } = config;
  const placement = from.placements.find((candidate) => isRunOf(run, refOf(candidate)));
  if (!hasGates || labelSelector === undefined || placement === undefined) return hasGates && placement === undefined;
  return from.members.some(
    (member) => matchesSelector(labelSelector, labelsOf(member)) && isPicked(member, placement.spec.policy),
  );
}

export const sameRun = (a: StagedUpdateRun, b: StagedUpdateRun): boolean =>
  a.spec.placementName === b.spec.placementName &&
  a.spec.stagedRolloutStrategyName === b.spec.stagedRolloutStrategyName &&
  a.spec.resourceSnapshotIndex === b.spec.resourceSnapshotIndex;

type Strategy = NonNullable<UpdateRunStatus['stagedUpdateStrategySnapshot']>;

/** The tasks of a stage are those of its strategy, each in its place. */
function isStage(config: Strategy['stages'][number], stage: StageStatus): boolean {
  const types = (tasks: readonly { readonly type: string }[] | undefined): string =>
    (tasks ?? []).map(({ type }) => type).join();
  return (
    config.name === stage.stageName &&
    types(config.beforeStageTasks) === types(stage.beforeStageTaskStatus) &&
    types(config.afterStageTasks) === types(stage.afterStageTaskStatus)
  );
}

const isIn =
  ({ labelSelector }: Strategy['stages'][number], members: ReadonlyMap<string, MemberCluster>) =>
  ({ clusterName }: { readonly clusterName: string }): boolean => {
    const member = members.get(clusterName);
    return member !== undefined && labelSelector !== undefined && matchesSelector(labelSelector, labelsOf(member));
  };
