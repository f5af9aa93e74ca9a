import type { Condition, Manifest, PlacementKey } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { parseInstant } from '../../kernel/instant.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Pair } from './changes.ts';
import type { Evidence } from './evidence.ts';
import { lostOverrides } from './lost-overrides.ts';
import { snapshotReader } from './planned-record.ts';

/** `unknown`: the guard has no evidence, and must not stop a fleet for lack of it. */
export type Health = 'healthy' | 'unhealthy' | 'unknown';

/** Health of bindings before the plan, by rules of the guard's own: only certain health counts as healthy. */
export function healthReader(evidence: Evidence): (key: PlacementKey, pair: Pair) => Health {
  const contentsOf = snapshotReader(evidence);
  const isLost = lostOverrides(evidence);
  return (key, { clusterName, before }) => {
    if (before === undefined) return 'unhealthy';
    const seen = evidence.observations?.get(clusterName);
    if (!seen?.reachable) return healthInRecord(before);
    if (isLost(before)) return 'unhealthy';
    return healthAsSeen(seen, { key, binding: before, contents: contentsOf(key, before.resourceSnapshotIndex) });
  };
}

function healthAsSeen(
  seen: ClusterObservation,
  of: { readonly key: PlacementKey; readonly binding: Binding; readonly contents: readonly Manifest[] },
): Health {
  const { key, binding, contents } = of;
  const remembered = healthInRecord(binding);
  const entry = seen.placements.find(
    ({ placement, resourceSnapshotIndex }) =>
      placementKey(placement) === key && resourceSnapshotIndex === binding.resourceSnapshotIndex,
  );
  const live = objectsOf(contents, seen.objects);
  // Where the actor does not know the contents, and not all of them are there, availability was recorded of something else.
  if (remembered === 'healthy' && entry !== undefined && entry.digest === undefined && live.size < contents.length)
    return 'unknown';
  if (remembered !== 'unhealthy' && isRecordedSince(binding, entry?.heardAt)) return remembered;
  if (entry === undefined || !entry.done) return 'unhealthy';
  if (entry.results.some(({ result }) => result !== 'Applied' && result !== 'AppliedWithFailedDriftDetection'))
    return 'unhealthy';
  // If the contents of the snapshot are not recorded, only the planner knows which objects it stands for.
  let certain = remembered === 'healthy' && contents.length > 0;
  for (const wanted of contents) {
    const found = live.get(nameOf(wanted));
    const ready = found === undefined ? undefined : isReady(found);
    if (ready === false) return 'unhealthy';
    if (ready === undefined) certain = false;
  }
  return certain ? 'healthy' : 'unknown';
}

/** Its availability was recorded after the last report of its actor. */
function isRecordedSince({ conditions }: Binding, heardAt: string | undefined): boolean {
  const since = conditions?.find(({ type }) => type === 'Available')?.lastTransitionTime;
  const [heard, recorded] = [parseInstant(heardAt ?? ''), parseInstant(since ?? '')];
  return heard !== undefined && recorded !== undefined && heard < recorded;
}

function healthInRecord({ conditions, observedGeneration }: Binding): Health {
  const statusOf = (type: string): Condition | undefined => conditions?.find((condition) => condition.type === type);
  const failing = ['Overridden', 'WorkSynchronized', 'Applied', 'Available', 'DiffReported'];
  if (failing.some((type) => statusOf(type)?.status === 'False')) return 'unhealthy';
  const available = statusOf('Available');
  if (available?.status !== 'True') return 'unhealthy';
  // Recorded for the binding before it was assigned again.
  if ((available.observedGeneration ?? observedGeneration) !== (observedGeneration ?? available.observedGeneration))
    return 'unknown';
  return available.reason === 'AllWorkAreAvailable' ? 'healthy' : 'unknown';
}

const atOnce = new Set([
  'Namespace',
  'ConfigMap',
  'Secret',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]);

/** Undefined if the kind has no rule simple enough to restate here, or its controller has not observed a change yet. */
function isReady(object: Manifest): boolean | undefined {
  if (atOnce.has(object.kind)) return true;
  const spec = (object['spec'] ?? {}) as Readonly<Record<string, number | undefined>>;
  const status = (object['status'] ?? {}) as Readonly<Record<string, number | undefined>>;
  const replicas = spec['replicas'] ?? 1;
  const { generation = status['observedGeneration'] } = object.metadata;
  const seenBy = (enough: boolean, updated: boolean): boolean | undefined =>
    enough ? (updated && status['observedGeneration'] === generation ? true : undefined) : false;
  switch (object.kind) {
    case 'Deployment':
      return seenBy(
        (status['availableReplicas'] ?? 0) >= replicas && (status['unavailableReplicas'] ?? 0) === 0,
        status['updatedReplicas'] === replicas && status['availableReplicas'] === replicas,
      );
    case 'StatefulSet':
      return seenBy(
        (status['availableReplicas'] ?? 0) >= replicas,
        status['currentRevision'] === status['updateRevision'] &&
          status['currentReplicas'] === status['updatedReplicas'] &&
          status['availableReplicas'] === replicas,
      );
    case 'DaemonSet':
      return seenBy(
        (status['numberAvailable'] ?? 0) >= (status['desiredNumberScheduled'] ?? 0),
        status['currentNumberScheduled'] === status['updatedNumberScheduled'],
      );
    default:
      return undefined;
  }
}

/** Of what a cluster shows. It shows the objects of all its placements; one placement has a few, and the rest is not looked at. */
function objectsOf(contents: readonly Manifest[], shown: readonly Manifest[]): ReadonlyMap<string, Manifest> {
  const { names, ids } = named(contents);
  const found = new Map<string, Manifest>();
  for (const object of shown) {
    if (found.size === ids.size) break;
    if (!names.has(object.metadata.name)) continue;
    const id = nameOf(object);
    if (ids.has(id)) found.set(id, object);
  }
  return found;
}

const named = memoize((contents: readonly Manifest[]) => ({
  names: new Set(contents.map(({ metadata }) => metadata.name)),
  ids: new Set(contents.map(nameOf)),
}));

const nameOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  `${apiVersion} ${kind} ${metadata.namespace ?? ''} ${metadata.name}`;
