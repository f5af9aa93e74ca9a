import type { MemberCluster } from '../../api/member-cluster.ts';
import type { PlacementKey } from '../../api/meta.ts';
import type { Override } from '../../api/override.ts';
import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import type { PlacementState } from '../../api/placement-state.ts';
import type { Problem } from '../../api/problem.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import type { Fleet, FleetRecord, HubObject, RecordedPlacement } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { memoizePair } from '../kernel/memoize.ts';
import { by } from '../kernel/ordering.ts';
import { sameValue } from '../kernel/same-value.ts';
import type { Hold } from '../plan-document.ts';
import {
  absenceMeansNothing,
  heldBecause,
  isRefused,
  lastGoodHold,
  withLastGoodResources,
} from '../recovery/last-good.ts';
import { clustersOf, isNeverRead, leftAlone, leftUntilFixed, mayBeWritten } from '../recovery/never-read.ts';
import { admitNodePools } from './admit-node-pools.ts';
import { admitOverrides } from './admit-overrides.ts';
import { forbidden } from './forbidden.ts';

/** The fleet that the plan uses: every object at its last good version, deletions only where they are certain. */
export interface Admitted {
  readonly placements: readonly Placement[];
  readonly deleted: readonly DeletedPlacement[];
  readonly members: readonly MemberCluster[];
  readonly runs: readonly StagedUpdateRun[];
  readonly overrides: readonly Override[];
  readonly resources: readonly HubObject[];
  readonly holds: readonly Hold[];
  readonly problems: readonly Problem[];
}

/** A placement whose file is gone, or has a deletionTimestamp, while the record still holds state. */
export interface DeletedPlacement {
  readonly key: PlacementKey;
  readonly recorded: RecordedPlacement;
  /** Undefined where neither a file nor the record has more than its name. */
  readonly placement: Placement | undefined;
}

/** Holds what is invalid, or changed in a way its kind does not allow, at the recorded version (decisions 4 and 13). */
export function admit(fleet: Fleet, record: FleetRecord): Admitted {
  const holds: Hold[] = [];
  const problems: Problem[] = [];
  const placements = admitPlacements(fleet, record, holds, problems);
  const { resources: valid, restored } = withLastGoodResources(fleet, record);
  const { resources, ...pools } = admitNodePools(valid, record);
  for (const ref of restored) {
    const { kind, name, namespace } = ref;
    holds.push(lastGoodHold({ kind, name, ...(namespace ? { namespace } : {}) }, heldBecause(fleet, ref)));
  }
  const overrides = admitOverrides(fleet, record);
  return {
    ...placements,
    members: admitMembers(fleet, record, holds),
    runs: admitRuns(fleet, record, holds, problems),
    overrides: overrides.overrides,
    resources,
    holds: [...holds, ...pools.holds, ...overrides.holds],
    problems: [...problems, ...pools.problems, ...overrides.problems],
  };
}

function admitPlacements(
  fleet: Fleet,
  record: FleetRecord,
  holds: Hold[],
  problems: Problem[],
): Pick<Admitted, 'placements' | 'deleted'> {
  const admitted: Placement[] = [];
  const present = new Set<PlacementKey>();
  for (const placement of fleet.placements) {
    const key = placementKey(refOf(placement));
    present.add(key);
    const recorded = record.placements.get(key);
    const before = recorded?.object;
    const last = before ?? asLastScheduled(placement, recorded?.state);
    const refused = forbidden(last, placement, fleet);
    if (last && refused) {
      problems.push(...refused.problems);
      holds.push(lastGoodHold(refOf(placement), refused.because));
      admitted.push(before ?? withGeneration(last, undefined));
    } else admitted.push(withGeneration(placement, before));
  }
  const deleted: DeletedPlacement[] = [];
  const beingDeleted = new Map(fleet.beingDeleted.map((placement) => [placementKey(refOf(placement)), placement]));
  for (const [key, recorded] of record.placements) {
    if (present.has(key)) continue;
    const last = recorded.object;
    const written = beingDeleted.get(key);
    if (written && !isRefused(fleet, refOf(written))) {
      // Certain also while other files cannot be read.
      deleted.push({ key, recorded, placement: asDeleted(last, written) });
    } else if (!mayBeWritten(fleet, key)) {
      if (isNeverRead(recorded)) holds.push(leftAlone(key, clustersOf(recorded)));
      else deleted.push({ key, recorded, placement: last });
    } else if (last) {
      const ref = refOf(last);
      holds.push(lastGoodHold(ref, heldBecause(fleet, ref)));
      admitted.push(last);
    } else if (isNeverRead(recorded)) holds.push(leftUntilFixed(key, recorded, fleet));
  }
  return { placements: admitted.sort(by((placement) => placementKey(refOf(placement)))), deleted };
}

/**
 * A deleted placement keeps its last planned spec, but with the delete strategy of its file. With all of the file, a forbidden
 * change would go unnoticed, should the placement be restored.
 */
function asDeleted(last: Placement | undefined, written: Placement): Placement {
  if (last === undefined) return written;
  const { deleteStrategy: _, ...kept } = last.spec.strategy;
  const { deleteStrategy } = written.spec.strategy;
  const spec = { ...last.spec, strategy: deleteStrategy === undefined ? kept : { ...kept, deleteStrategy } };
  return last.kind === 'ResourcePlacement' ? { ...last, spec } : { ...last, spec };
}

/**
 * The placement with its recorded policy, for a record that has a state and no status (written by hand). An empty policy counts
 * as none, which may change to any other (KubeFleet's rule compares only where both are set).
 */
const asLastScheduled = memoizePair(
  (placement: Placement, state: PlacementState | undefined): Placement | undefined => {
    const latest = latestOf(state?.policySnapshots ?? []);
    if (latest === undefined || sameValue(latest.policy, emptyPolicy)) return undefined;
    const { policy: recorded, numberOfClusters = recorded.numberOfClusters } = latest;
    const policy = { ...recorded, ...(numberOfClusters === undefined ? {} : { numberOfClusters }) };
    return placement.kind === 'ResourcePlacement'
      ? { ...placement, spec: { ...placement.spec, policy } }
      : { ...placement, spec: { ...placement.spec, policy } };
  },
);

const emptyPolicy: Placement['spec']['policy'] = { placementType: 'PickAll' };

/** Kubernetes counts spec changes; without an API server we do: one more whenever the spec differs from the recorded one. */
const withGeneration = memoizePair((placement: Placement, before: Placement | undefined): Placement => {
  const last = before?.metadata.generation ?? 0;
  const generation = before && sameValue(before.spec, placement.spec) ? Math.max(last, 1) : last + 1;
  return placement.kind === 'ResourcePlacement'
    ? { ...placement, metadata: { ...placement.metadata, generation } }
    : { ...placement, metadata: { ...placement.metadata, generation } };
});

function admitMembers(fleet: Fleet, record: FleetRecord, holds: Hold[]): MemberCluster[] {
  const members = [...fleet.members];
  const present = new Set(members.map(({ metadata }) => metadata.name));
  for (const [name, recorded] of record.clusters) {
    const ref = { kind: 'MemberCluster', name };
    if (present.has(name) || !absenceMeansNothing(fleet, ref)) continue;
    holds.push(lastGoodHold(ref, heldBecause(fleet, ref)));
    members.push(recorded);
  }
  return members.sort(by(({ metadata }) => metadata.name));
}

function admitRuns(fleet: Fleet, record: FleetRecord, holds: Hold[], problems: Problem[]): StagedUpdateRun[] {
  const present = new Set<string>();
  const runs = fleet.runs.map((run) => {
    const key = placementKey(run.metadata);
    present.add(key);
    const before = record.runs.get(key);
    const refused = forbidden(before, run, fleet);
    if (!before || !refused) return run;
    problems.push(...refused.problems);
    const { name, namespace } = run.metadata;
    holds.push(lastGoodHold({ kind: run.kind, name, ...(namespace ? { namespace } : {}) }, refused.because));
    return before;
  });
  for (const [key, recorded] of record.runs) {
    const { name, namespace } = recorded.metadata;
    const ref = { kind: recorded.kind, name, ...(namespace ? { namespace } : {}) };
    if (present.has(key) || !absenceMeansNothing(fleet, ref)) continue;
    holds.push(lastGoodHold(ref, heldBecause(fleet, ref)));
    runs.push(recorded);
  }
  return runs.sort(by((run) => placementKey(run.metadata)));
}
