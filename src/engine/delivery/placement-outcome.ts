import { type PlacementStatus, placementKey, refOf } from '../../api/placement.ts';
import type { ClusterDecision, PlacementState } from '../../api/placement-state.ts';
import type { EntryFile } from '../domain.ts';
import type { PlanInput } from '../input.ts';
import { canonicalJson, canonicalList, canonicalMap } from '../kernel/canonical-json.ts';
import { findCondition } from '../kernel/condition.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { memoizePair, memoizeRecent } from '../kernel/memoize.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlacementTarget, PlannedPlacement, RecordDocument } from '../plan-document.ts';
import { placementType } from '../status/condition-types.ts';
import { mirroredStatuses } from '../status/mirrored-status.ts';
import { placementStatus } from '../status/placement-status.ts';
import { statusInNamespace, withStatusSynced } from '../status/status-in-namespace.ts';
import type { World } from '../world.ts';
import { mirroredDocuments, placementDocuments } from './placement-documents.ts';
import { targetsOf } from './targets.ts';

/** The result for one placement, and its part of the plan document. */
export interface PlacementOutcome {
  readonly work: PlacementWork;
  /** Undefined for a placement whose file is gone. */
  readonly planned: PlannedPlacement | undefined;
  /** By cluster name. */
  readonly targets: readonly PlacementTarget[];
  /** By path below the placement's own folder on the status branch. */
  readonly documents: readonly EntryFile[];
}

/** The outcome of a placement of the fleet. */
export function placementOutcome(work: PlacementWork, world: World): PlacementOutcome {
  const status = statusOf(work, world);
  return finished(work, world, { status, planned: plannedPlacement(work, status) });
}

/** The outcome of a placement whose file is gone, until its objects are: its status stays as it was. */
export const deletedPlacementOutcome = (work: PlacementWork, world: World): PlacementOutcome =>
  finished(work, world, { status: recordedStatus(work, world) ?? {}, planned: undefined });

function finished(
  work: PlacementWork,
  world: World,
  { status, planned }: { readonly status: PlacementStatus; readonly planned: PlannedPlacement | undefined },
): PlacementOutcome {
  const { now, digest } = world.input;
  const before = world.record.placements.get(placementKey(refOf(work.placement)));
  const inNamespace = statusInNamespace(work.placement, status, { now, recorded: before?.inNamespace });
  const targets = targetsOf(work, {
    render: world.render,
    present: (cluster) => world.members.get(cluster)?.leaving === false,
  });
  return {
    work,
    planned,
    targets,
    documents: [
      ...placementDocuments(work, { status, inNamespace }),
      ...mirroredDocuments(mirroredStatuses(work, world, before?.mirrored), digest),
    ],
  };
}

/** The document that an outcome keeps at that path. */
export const documentAt = ({ documents }: PlacementOutcome, wanted: string): RecordDocument | undefined =>
  documents.find(([path]) => path === wanted)?.[1];

/** The state that the engine records of the placement. */
export const stateOf = (outcome: PlacementOutcome): PlacementState =>
  documentAt(outcome, 'state.yaml')!.value as PlacementState;

/** Hex sha-256 of `planned` and `targets`, without moves. */
export const wantedDigest = memoizePair(({ planned, targets }: PlacementOutcome, digest: PlanInput['digest']): string =>
  digest(canonicalList([planned ? wantedText(planned) : 'null', canonicalJson(targets)])),
);

/** Without moves: the next plan wants the same and moves nothing. */
const wantedText = (planned: PlannedPlacement): string =>
  canonicalMap(planned, (value, key) => {
    if (key === 'decisions') return canonicalList(planned.decisions.map(decisionText));
    return canonicalJson(key === 'bindings' ? planned.bindings.map(({ move: _, ...binding }) => binding) : value);
  });

/** Placements share most decisions; a large fleet has a million, whose texts would not all fit into memory. */
const decisionText = memoizeRecent((decision: ClusterDecision) => canonicalJson(decision), 20_000);

function statusOf(work: PlacementWork, world: World): PlacementStatus {
  const context = { now: world.input.now, recorded: recordedStatus(work, world) };
  const hasNamespace = (name: string): boolean => world.hub.kinds.get('v1 Namespace')?.byName.has(`/${name}`) ?? false;
  return withStatusSynced(work.placement, placementStatus(work, context), { ...context, hasNamespace });
}

const recordedStatus = (work: PlacementWork, world: World): PlacementStatus | undefined =>
  world.record.placements.get(placementKey(refOf(work.placement)))?.object?.status;

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
      ...(binding.appliedResourceSnapshotIndex === undefined
        ? {}
        : { appliedResourceSnapshotIndex: binding.appliedResourceSnapshotIndex }),
      move,
      conditions: binding.conditions ?? [],
    })),
    conditions: status.conditions ?? [],
  };
}

/** The condition Scheduled of the status: an invalid selection takes precedence over the scheduler's. */
function scheduledOf({ placement }: PlacementWork, { conditions }: PlacementStatus): PlannedPlacement['scheduled'] {
  const { status, reason, message = '' } = findCondition(conditions, placementType(placement, 'Scheduled'))!;
  return { status, reason, message };
}
