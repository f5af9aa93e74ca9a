import type { ClusterName, Manifest, PlacementKey } from '../../api/meta.ts';
import type { PlanInput } from '../input.ts';
import type { Plan, Target } from '../plan-document.ts';
import { type Compared, overridesOf, overridesReader, type Pair, snapshotReader } from './comparison.ts';

export interface Removal {
  readonly clusterName: ClusterName;
  readonly placement: PlacementKey;
  /** `apps/v1/Deployment shop/web`. */
  readonly object: string;
}

export interface Removals {
  /** What this plan takes off clusters, each object once. */
  readonly now: readonly Removal[];
  /** Objects that a snapshot or an override no longer has, among `now`. */
  readonly dropped: boolean;
  /** Clusters that leave with bindings of ours: their objects stay there, nobody looks after them any more. */
  readonly released: readonly Removal[];
  /**
   * What a person is asked to approve. Objects dropped from a snapshot are listed for every cluster of the placement, so
   * that one approval holds for all steps of a rollout.
   */
  readonly approvable: readonly Removal[];
}

export function findRemovals(input: PlanInput, plan: Plan, compared: readonly Compared[]): Removals {
  const contentsOf = snapshotReader(input, plan);
  const overridesAfter = overridesReader(plan);
  const stays = membersThatStay(input);
  const emptied = new Set(
    plan.targets.filter(({ remove }) => remove).map((it) => `${it.clusterName} ${keyOf(it.placement)}`),
  );
  // Most plans never ask for it, and a large fleet has a million.
  let byCluster: ReadonlyMap<string, Target> | undefined;
  const targetOf = (cluster: ClusterName, key: PlacementKey): Target | undefined => {
    byCluster ??= new Map(plan.targets.map((target) => [`${target.clusterName} ${keyOf(target.placement)}`, target]));
    return byCluster.get(`${cluster} ${key}`);
  };
  const now: Removal[] = [];
  const released: Removal[] = [];
  const approvable: Removal[] = [];
  let dropped = false;

  for (const { key, pairs } of compared) {
    const drops = new Map<string, readonly string[]>();
    for (const pair of pairs) {
      const { clusterName, before, after } = pair;
      const all = (objects: readonly string[]): Removal[] =>
        objects.map((object) => ({ clusterName, placement: key, object }));
      if (before === undefined) continue;
      const held = () => objectsOf(contentsOf(key, before.resourceSnapshotIndex));
      const gone = pair.removedNow || after === undefined;
      if (gone && !stays.has(clusterName) && !emptied.has(`${clusterName} ${key}`)) {
        released.push(
          ...(before.resourceSnapshotIndex === undefined ? [{ clusterName, placement: key, object: '' }] : all(held())),
        );
      } else if (pair.removedNow) {
        now.push(...all(held()));
        approvable.push(...all(held()));
      } else if (after && before.resourceSnapshotIndex !== undefined) {
        const change = `${before.resourceSnapshotIndex} ${after.resourceSnapshotIndex}`;
        if (before.resourceSnapshotIndex !== after.resourceSnapshotIndex && !drops.has(change)) {
          const next = new Set(objectsOf(contentsOf(key, after.resourceSnapshotIndex)));
          drops.set(
            change,
            held().filter((object) => !next.has(object)),
          );
        }
        const lost = new Set([...(drops.get(change) ?? []), ...droppedByOverride(pair)]);
        if (lost.size > 0) dropped = true;
        now.push(...all([...lost]));
        approvable.push(...all([...lost]));
      }
    }
    // The other clusters of the placement, at their turn.
    for (const objects of drops.values())
      for (const { clusterName, after, removedNow } of pairs)
        if (after && !removedNow && after.state !== 'Scheduled')
          approvable.push(...objects.map((object) => ({ clusterName, placement: key, object })));

    function droppedByOverride({ clusterName, before, after }: Pair): readonly string[] {
      const lists = before && overridesAfter(key, clusterName);
      if (!before || !after || lists === undefined || lists === overridesOf(before)) return [];
      const target = targetOf(clusterName, key);
      if (!target || target.remove) return [];
      const remaining = new Set(target.objects.map((ref) => nameOf(ref.apiVersion, ref.kind, ref.namespace, ref.name)));
      return objectsOf(contentsOf(key, before.resourceSnapshotIndex)).filter((object) => !remaining.has(object));
    }
  }
  return { now, dropped, released, approvable: [...approvable, ...released] };
}

/** Members with a file that does not ask to leave. A file that cannot be read is no file that is gone. */
export function membersThatStay({ fleet, record }: PlanInput): ReadonlySet<ClusterName> {
  const stays = new Set<ClusterName>();
  for (const { metadata } of fleet.members) if (metadata.deletionTimestamp == null) stays.add(metadata.name);
  const written = new Set(fleet.members.map(({ metadata }) => metadata.name));
  for (const name of record.clusters.keys()) {
    const refused = fleet.refused.some((ref) => ref.kind === 'MemberCluster' && ref.name === name);
    if (!written.has(name) && (refused || fleet.unreadable.length > 0)) stays.add(name);
  }
  return stays;
}

const keyOf = ({ name, namespace }: { readonly name: string; readonly namespace?: string | undefined }): string =>
  namespace === undefined ? name : `${namespace}.${name}`;

const listed = new WeakMap<readonly Manifest[], readonly string[]>();

/** Objects that a snapshot puts on a cluster: envelopes count as what is in them. */
export function objectsOf(manifests: readonly Manifest[]): readonly string[] {
  let objects = listed.get(manifests);
  if (objects === undefined) {
    objects = manifests.flatMap(namesIn);
    listed.set(manifests, objects);
  }
  return objects;
}

function namesIn(manifest: Manifest): string[] {
  const { apiVersion, kind, metadata } = manifest;
  const own = nameOf(apiVersion, kind, metadata.namespace, metadata.name);
  const isEnvelope =
    kind === 'ResourceEnvelope' ||
    kind === 'ClusterResourceEnvelope' ||
    (kind === 'ConfigMap' && metadata.annotations?.['kubernetes-fleet.io/envelope-configmap'] === 'true');
  if (!isEnvelope) return [own];
  return Object.entries((manifest['data'] ?? {}) as Record<string, unknown>).map(([entry, inner]) => {
    const wrapped = inner as Partial<Manifest> | undefined;
    return wrapped?.metadata?.name && wrapped.apiVersion && wrapped.kind
      ? nameOf(wrapped.apiVersion, wrapped.kind, wrapped.metadata.namespace, wrapped.metadata.name)
      : `${own} entry ${entry}`;
  });
}

const nameOf = (apiVersion: string, kind: string, namespace: string | undefined, name: string): string =>
  `${apiVersion}/${kind} ${namespace ? `${namespace}/` : ''}${name}`;
