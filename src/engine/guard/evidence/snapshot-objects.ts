import type { Manifest, PlacementKey } from '../../../api/meta.ts';
import { memoize } from '../../kernel/memoize.ts';

/** Objects of a snapshot on a cluster: envelopes count as their contents. */
export const objectsOf = memoize((manifests: readonly Manifest[]): readonly string[] => manifests.flatMap(namesIn));

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

/** `apps/v1/Deployment shop/web`; without a namespace `v1/Namespace shop`. */
export const nameOf = (apiVersion: string, kind: string, namespace: string | undefined, name: string): string =>
  `${apiVersion}/${kind} ${namespace ? `${namespace}/` : ''}${name}`;

/** The placement that an object on a member belongs to, by our label; undefined for objects that are not ours. */
export function placementOf({ metadata: { labels, annotations } }: Manifest): PlacementKey | undefined {
  const label = labels?.['gitfleet.dev/placement'];
  // A name too long for a label is in the annotation.
  return label === undefined ? undefined : ((annotations?.['gitfleet.dev/placement'] ?? label) as PlacementKey);
}
