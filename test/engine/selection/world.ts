import type { Manifest } from '../../../src/api/meta.ts';
import { clusterResourcePlacement, type Placement, resourcePlacement } from '../../../src/api/placement.ts';
import type { HubObject } from '../../../src/engine/input.ts';
import { compileHub } from '../../../src/engine/selection/hub.ts';
import { selectResources } from '../../../src/engine/selection/select.ts';
import { sha256 } from '../../../src/repo/sha256.ts';

export const digest = sha256;

type Fields = Readonly<Record<string, unknown>>;

/** `object('apps/v1 Deployment shop/web', …)`; without a namespace `object('v1 Namespace shop')`. */
export function object(identity: string, fields: Fields = {}, metadata: Fields = {}): Manifest {
  const [apiVersion, kind, path] = identity.split(' ') as [string, string, string];
  const [namespace, name] = path.includes('/') ? (path.split('/') as [string, string]) : [undefined, path];
  return { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}), ...metadata }, ...fields };
}

export const identityOf = ({ apiVersion, kind, metadata }: Manifest): string =>
  `${apiVersion} ${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`;

export const onHub = (manifest: Manifest): HubObject => ({
  manifest,
  scope: manifest.metadata.namespace ? 'Namespaced' : 'Cluster',
  file: 'resources/all.yaml',
});

type Selector = { group?: string; version?: string; kind: string } & Fields;
const selectors = (terms: readonly Selector[]) => terms.map((term) => ({ group: '', version: 'v1', ...term }));

export const crp = (...terms: readonly Selector[]): Placement =>
  clusterResourcePlacement.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name: 'web' },
    spec: { resourceSelectors: selectors(terms) },
  });

export const rp = (...terms: readonly Selector[]): Placement =>
  resourcePlacement.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ResourcePlacement',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { resourceSelectors: selectors(terms) },
  });

/** What is selected, as identities in snapshot order, or the user error. */
export function selected(placement: Placement, manifests: readonly Manifest[]): readonly string[] | string {
  const selection = selectResources({ placement, hub: compileHub(manifests.map(onHub)), digest });
  return selection.ok ? selection.manifests.map(identityOf) : selection.message;
}
