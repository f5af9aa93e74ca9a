import type { Manifest } from '../../api/meta.ts';
import { groupVersionOf } from './group-version.ts';

/**
 * Kinds that are never selected; a selector that names one is skipped silently (KubeFleet apiresources.go). Contents of envelopes
 * are not checked: a Pod in one is placed.
 */
export function isDisabledKind(group: string, version: string, kind: string): boolean {
  if (disabledGroups.has(group)) return true;
  if (group === '') return version === 'v1' && (kind === 'Pod' || kind === 'Node');
  if (group === 'networking.fleet.azure.com') return disabledNetworking.has(kind);
  if (group === 'placement.kubernetes-fleet.io')
    return kind !== 'ClusterResourceEnvelope' && kind !== 'ResourceEnvelope';
  return false;
}

const disabledGroups: ReadonlySet<string> = new Set([
  'cluster.kubernetes-fleet.io',
  'events.k8s.io',
  'coordination.k8s.io',
  'metrics.k8s.io',
]);
const disabledNetworking: ReadonlySet<string> = new Set([
  'ServiceImport',
  'TrafficManagerProfile',
  'TrafficManagerBackend',
]);

/** Namespaces whose contents are never placed (KubeFleet ShouldPropagateNamespace). */
export const isReservedNamespace = (name: string): boolean =>
  name === 'default' || name.startsWith('kube-') || name.startsWith('fleet-');

/**
 * Whether one object may be placed: not of a disabled kind, not being deleted, and not created by every cluster for itself
 * (KubeFleet ShouldPropagateObj). Unlike in KubeFleet, PersistentVolumeClaims may be placed: no hub mounts them.
 */
export function isPlaceable(manifest: Manifest, hasService: (namespace: string, name: string) => boolean): boolean {
  const { group, version } = groupVersionOf(manifest.apiVersion);
  if (isDisabledKind(group, version, manifest.kind)) return false;
  const { metadata } = manifest;
  if (metadata.deletionTimestamp) return false;
  switch (`${manifest.apiVersion} ${manifest.kind}`) {
    case 'apps/v1 ReplicaSet':
    case 'apps/v1 ControllerRevision': {
      const owners = metadata['ownerReferences'];
      return !(Array.isArray(owners) && owners.length > 0);
    }
    case 'v1 ConfigMap':
      return metadata.name !== 'kube-root-ca.crt';
    case 'v1 ServiceAccount':
      return metadata.name !== 'default';
    case 'v1 Secret':
      return manifest['type'] !== 'kubernetes.io/service-account-token';
    case 'v1 Endpoints':
      return !hasService(metadata.namespace ?? '', metadata.name);
    case 'discovery.k8s.io/v1 EndpointSlice':
      return !Object.hasOwn(metadata.labels ?? {}, 'endpointslice.kubernetes.io/managed-by');
    default:
      return true;
  }
}
