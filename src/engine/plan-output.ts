import type { PlacementKey, Timestamp } from '../api/meta.ts';
import { type PlacementStatus, placementKey, refOf } from '../api/placement.ts';
import type { Problem } from '../api/problem.ts';
import { removalHolds } from './delivery/removal-holds.ts';
import { stuckRemovals } from './delivery/stuck-removals.ts';
import { targetsOf } from './delivery/targets.ts';
import { unknownContentHolds } from './delivery/unknown-contents.ts';
import type { EvictOutcome } from './evict/evict.ts';
import { canonicalJson } from './kernel/canonical-json.ts';
import { findCondition } from './kernel/condition.ts';
import { parseInstant } from './kernel/instant.ts';
import { by } from './kernel/ordering.ts';
import type { Hold, Plan, PlannedPlacement } from './plan-document.ts';
import { recordedStatus, recordOf } from './plan-record.ts';
import { type RunsOutcome, runsWithoutPlacement } from './runs.ts';
import { latestOf } from './selection/snapshot.ts';
import { placementType } from './status/condition-types.ts';
import { placementStatus } from './status/placement-status.ts';
import { withStatusSynced } from './status/status-in-namespace.ts';
import type { PlacementWork } from './working.ts';
import type { World } from './world.ts';

export interface Assembly {
  readonly world: World;
  readonly works: readonly PlacementWork[];
  /** Placements whose file is gone, until their objects are. */
  readonly deleted: readonly PlacementWork[];
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
  readonly evictions: EvictOutcome;
}

/** The plan document: every list sorted, every absent field left out. */
export function assemble(assembly: Assembly): Plan {
  const { world, works, deleted, evictions } = assembly;
  const { input } = world;
  const statuses = new Map(works.map((work) => [work, statusOf(work, world)]));
  const orphans = runsWithoutPlacement(world);
  const outcomes = [...assembly.runs.values()];
  const stuck = stuckRemovals({ ...world, ...input, works: [...works, ...deleted] });
  const holds = sortedHolds([
    ...world.holds,
    ...notActedOn(world),
    ...removalHolds(input),
    ...stuck.holds,
    ...unknownContentHolds(works, input.fleet),
    ...[...works, ...deleted].flatMap((work) => work.holds),
    ...outcomes.flatMap((outcome) => outcome.holds),
    ...evictions.holds,
    ...orphans.holds,
  ]);
  const wakes = [
    ...stuck.wakes,
    ...works.flatMap(({ wakes: own }) => own),
    ...outcomes.flatMap(({ wakes: own }) => own),
    ...holds.flatMap(({ until }) => until ?? []),
  ];
  const wakeAt = earliest(wakes, input.now);
  const targets = [...works, ...deleted].flatMap((work) =>
    targetsOf(work, { render: world.render, present: (cluster) => world.members.get(cluster)?.leaving === false }),
  );
  const content = {
    commit: input.commit,
    placements: works.map((work) => plannedPlacement(work, statuses.get(work)!)),
    targets: targets.sort(
      by(({ clusterName, placement }) => `${clusterName}/${placementKey(placement)}/${placement.kind}`),
    ),
    holds,
    runs: [...outcomes.flatMap(({ runs }) => runs), ...orphans.runs].sort(
      by((run) => `${run.kind}/${placementKey(run)}`),
    ),
    approvals: outcomes
      .flatMap(({ approvals }) => approvals)
      .sort(by((approval) => `${approval.kind}/${placementKey(approval)}`)),
    evictions: evictions.evictions,
    upgrades: [],
    nodes: [],
    problems: [
      ...input.fleet.problems,
      ...world.admitted.problems,
      ...works.flatMap(({ problems }) => problems),
      ...outcomes.flatMap(({ problems }) => problems),
      ...evictions.problems,
    ].map(inOrder),
  };
  const { commit, problems, ...lists } = content;
  return {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Plan',
    commit,
    now: input.now,
    digest: `sha256:${input.digest(canonicalJson(withoutMoves(content)))}`,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...lists,
    guard: [],
    problems,
    record: recordOf(assembly, statuses, orphans),
  };
}

/** Fields as the document lists them, whoever found the problem. */
function inOrder({ severity, code, file, line, column, path, value, message, fix }: Problem): Problem {
  return {
    severity,
    code,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(path === undefined ? {} : { path }),
    ...(value === undefined ? {} : { value }),
    message,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Moves tell how this plan came about, not what it wants: the next plan wants the same and moves nothing. */
const withoutMoves = <T extends { readonly placements: readonly PlannedPlacement[] }>(content: T) => ({
  ...content,
  placements: content.placements.map((placement) => ({
    ...placement,
    bindings: placement.bindings.map(({ move: _, ...binding }) => binding),
  })),
});

function statusOf(work: PlacementWork, world: World): PlacementStatus {
  const context = { now: world.input.now, recorded: recordedStatus(work, world) };
  const hasNamespace = (name: string): boolean => world.hub.kinds.get('v1 Namespace')?.byName.has(`/${name}`) ?? false;
  return withStatusSynced(work.placement, placementStatus(work, context), { ...context, hasNamespace });
}

function plannedPlacement(work: PlacementWork, status: PlacementStatus): PlannedPlacement {
  const policy = latestOf(work.policySnapshots);
  const snapshot = latestOf(work.resourceSnapshots);
  return {
    ...refOf(work.placement),
    ...(policy ? { policySnapshotIndex: policy.index } : {}),
    ...(snapshot ? { resourceSnapshotIndex: snapshot.index } : {}),
    scheduled: scheduledOf(work, status),
    decisions: work.decisions,
    bindings: work.bindings.map(({ binding, move }) => ({
      clusterName: binding.targetCluster,
      state: binding.state,
      ...(binding.resourceSnapshotIndex === undefined ? {} : { resourceSnapshotIndex: binding.resourceSnapshotIndex }),
      move,
      conditions: binding.conditions ?? [],
    })),
    conditions: status.conditions ?? [],
  };
}

/** Not always the scheduler's word: a wrong selection goes before it. */
function scheduledOf({ placement }: PlacementWork, { conditions }: PlacementStatus): PlannedPlacement['scheduled'] {
  const { status, reason, message = '' } = findCondition(conditions, placementType(placement, 'Scheduled'))!;
  return { status, reason, message };
}

function notActedOn(world: World): Hold[] {
  return world.input.fleet.notActedOn.map(({ apiVersion, kind, name, namespace }) => ({
    subject: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    reason: 'NotActedOnYet',
    message: `${kind} ${name} (${apiVersion}) is valid, but this version of gitfleet does not act on it yet`,
  }));
}

const sortedHolds = (holds: readonly Hold[]): Hold[] => {
  const seen = new Map(holds.map((hold) => [canonicalJson(hold), hold]));
  return [...seen.values()].sort(
    by(({ subject, reason }) =>
      [
        subject.kind,
        subject.namespace ?? '',
        subject.name,
        subject.stage ?? '',
        subject.clusterName ?? '',
        reason,
      ].join('/'),
    ),
  );
};

/** Wakes in the past have had their effect; the earliest to come counts. */
function earliest(wakes: readonly Timestamp[], now: Timestamp): Timestamp | undefined {
  const present = parseInstant(now) ?? 0;
  let best: { readonly at: number; readonly text: Timestamp } | undefined;
  for (const text of wakes) {
    const at = parseInstant(text);
    if (at !== undefined && at >= present && (best === undefined || at < best.at)) best = { at, text };
  }
  return best?.text;
}
