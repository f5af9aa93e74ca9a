import type { PlacementKey, Timestamp } from '../api/meta.ts';
import { type PlacementStatus, placementKey, refOf } from '../api/placement.ts';
import { foreignHolds } from './delivery/foreign-holds.ts';
import { targetsOf } from './delivery/targets.ts';
import type { EvictOutcome } from './evict/evict.ts';
import { canonicalJson } from './kernel/canonical-json.ts';
import { findCondition } from './kernel/condition.ts';
import { parseInstant } from './kernel/instant.ts';
import { by } from './kernel/ordering.ts';
import { idsOf } from './overrides/snapshot-id.ts';
import { overrideDocuments } from './overrides/snapshots.ts';
import type { Hold, Plan, PlannedPlacement, RecordDocument } from './plan-document.ts';
import { approvalDocument, clusterDocument, placementDocuments, recordPath } from './record-documents.ts';
import { type RunsOutcome, runsWithoutPlacement } from './runs.ts';
import { latestOf } from './selection/snapshot.ts';
import { placementType } from './status/condition-types.ts';
import { placementStatus } from './status/placement-status.ts';
import { statusInNamespace, withStatusSynced } from './status/status-in-namespace.ts';
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
  const wakes = [...works.flatMap(({ wakes: own }) => own), ...outcomes.flatMap(({ wakes: own }) => own)];
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
    holds: sortedHolds([
      ...world.holds,
      ...notActedOn(world),
      ...foreignHolds(input.observations),
      ...works.flatMap(({ holds }) => holds),
      ...outcomes.flatMap(({ holds }) => holds),
      ...evictions.holds,
      ...orphans.holds,
    ]),
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
    ],
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

function recordedStatus(work: PlacementWork, world: World): PlacementStatus | undefined {
  return world.record.placements.get(placementKey(refOf(work.placement)))?.object?.status;
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

function recordOf(
  { world, works, deleted, runs, evictions }: Assembly,
  statuses: ReadonlyMap<PlacementWork, PlacementStatus>,
  orphans: ReturnType<typeof runsWithoutPlacement>,
): Map<string, RecordDocument> {
  const { digest } = world.input;
  const documents: [string, RecordDocument][] = [];
  const all = [...works, ...deleted];
  const refusedButRecorded = [...world.record.placements].filter(
    ([key]) => !all.some((work) => placementKey(refOf(work.placement)) === key) && isHeld(key, world),
  );
  for (const work of all) {
    const root = recordPath('placements', placementKey(refOf(work.placement)), all.length, digest);
    const status = statuses.get(work) ?? recordedStatus(work, world) ?? {};
    const inNamespace = statusInNamespace(work.placement, status, {
      now: world.input.now,
      recorded: world.record.placements.get(placementKey(refOf(work.placement)))?.inNamespace,
    });
    documents.push(...placementDocuments(work, { status, inNamespace }, root));
  }
  for (const [key, recorded] of refusedButRecorded) {
    const root = recordPath('placements', key, all.length, digest);
    if (recorded.object) documents.push([`${root}/status.yaml`, { kind: 'object', value: recorded.object }]);
    documents.push([`${root}/state.yaml`, { kind: 'object', value: recorded.state }]);
    if (recorded.inNamespace)
      documents.push([`${root}/namespace-status.yaml`, { kind: 'object', value: recorded.inNamespace }]);
    for (const [index, value] of recorded.snapshots)
      documents.push([`${root}/snapshots/${index}.yaml`, { kind: 'manifests', value }]);
  }
  const inUse = new Set<string>();
  for (const work of all) {
    for (const { binding } of work.bindings) for (const id of idsOf(binding)) inUse.add(id);
    for (const entry of work.resourceSnapshots) for (const id of entry.overrides ?? []) inUse.add(id);
  }
  const recordedRuns = [...[...runs.values()].flatMap((outcome) => outcome.recorded), ...orphans.recorded];
  for (const run of recordedRuns) {
    for (const stage of run.status?.stagesStatus ?? [])
      for (const cluster of stage.clusters) for (const id of idsOf(cluster)) inUse.add(id);
  }
  documents.push(...overrideDocuments(world.overrides, inUse));
  const add = (directory: string, items: readonly { readonly name: string; readonly document: RecordDocument }[]) => {
    for (const { name, document } of items)
      documents.push([`${recordPath(directory, name, items.length, digest)}.yaml`, document]);
  };
  add(
    'runs',
    recordedRuns.map((run) => ({ name: placementKey(run.metadata), document: { kind: 'object', value: run } })),
  );
  add(
    'approvals',
    [...runs.values()]
      .flatMap(({ approvals }) => approvals)
      .map((approval) => ({ name: placementKey(approval), document: approvalDocument(approval) })),
  );
  add(
    'evictions',
    evictions.recorded.map((eviction) => ({
      name: eviction.metadata.name,
      document: { kind: 'object', value: eviction },
    })),
  );
  add(
    'clusters',
    world.admitted.members.flatMap((cluster) => {
      const member = world.members.get(cluster.metadata.name);
      return member
        ? [{ name: member.name, document: clusterDocument(cluster, member, world.record.clusters.get(member.name)) }]
        : [];
    }),
  );
  return new Map(documents.sort(by(([path]) => path)));
}

/** A placement refused at load without a good object in the record: its state must not be lost meanwhile. */
function isHeld(key: PlacementKey, world: World): boolean {
  return !world.admitted.deleted.some((gone) => gone.key === key);
}
