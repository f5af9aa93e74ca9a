import type { Manifest } from '../../api/meta.ts';
import { memoize } from '../kernel/memoize.ts';
import { byText } from '../kernel/ordering.ts';
import { groupVersionOf } from './group-version.ts';

/**
 * The manifests in snapshot order: known kinds in KubeFleet's order, matched by kind alone, then unknown kinds; inside a
 * kind by group and version, then by `namespace/name` (KubeFleet resource_selector_resolver.go). The order only keeps
 * snapshots stable; the order of applying is that of waves.ts.
 */
export function inSnapshotOrder(manifests: readonly Manifest[]): Manifest[] {
  return manifests
    .map((manifest) => ({ manifest, place: placeOf(manifest) }))
    .sort((a, b) => a.place.rank - b.place.rank || byText(a.place.text, b.place.text))
    .map(({ manifest }) => manifest);
}

interface Place {
  readonly rank: number;
  readonly text: string;
}

const placeOf = memoize((manifest: Manifest): Place => {
  const rank = ranks.get(manifest.kind);
  const { group, version } = groupVersionOf(manifest.apiVersion);
  // Go prints a GroupVersion as "v1" or "apps/v1", but a GroupVersionKind as "/v1, Kind=Pod" or "apps/v1, Kind=Deployment".
  const kind = rank === undefined ? `${group}/${version}, Kind=${manifest.kind}` : manifest.apiVersion;
  const { namespace, name } = manifest.metadata;
  return { rank: rank ?? ranks.size, text: `${kind}\0${namespace ?? ''}/${name}` };
});

const knownKinds =
  'PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodDisruptionBudget ServiceAccount Secret ConfigMap ' +
  'StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole ClusterRoleBinding Role ' +
  'RoleBinding Service DaemonSet Pod ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet ' +
  'Job CronJob IngressClass Ingress APIService MutatingWebhookConfiguration ValidatingWebhookConfiguration';
const ranks: ReadonlyMap<string, number> = new Map(knownKinds.split(' ').map((kind, rank) => [kind, rank]));
