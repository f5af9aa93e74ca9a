import type { Manifest, ObjectRef } from '../../api/meta.ts';
import type { ResourceIdentifier } from '../../api/placement.ts';

/** `apps/v1` is group `apps`, version `v1`; `v1` is the core group, written "". */
export function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The inverse of {@link groupVersionOf}. */
export const apiVersionOf = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;

/** Whether Kubernetes could have a version of this name, as its own kinds do. */
export const isVersion = (version: string): boolean => /^v\d+((alpha|beta)\d+)?$/.test(version);

/** KubeFleet's identifier of a selected resource. The core group and an absent namespace are omitted, as in its JSON. */
export function identifierOf(manifest: Manifest): ResourceIdentifier {
  const { group, version } = groupVersionOf(manifest.apiVersion);
  const { name, namespace } = manifest.metadata;
  return {
    ...(group === '' ? {} : { group }),
    version,
    kind: manifest.kind,
    name,
    ...(namespace ? { namespace } : {}),
  };
}

/** An object in messages: `apps/v1 Deployment shop/web`. */
export function describeObject(object: Manifest | ObjectRef): string {
  const { name, namespace } = 'metadata' in object ? object.metadata : object;
  return `${object.apiVersion} ${object.kind} ${namespace ? `${namespace}/` : ''}${name}`;
}
