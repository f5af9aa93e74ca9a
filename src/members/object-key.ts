import type { Manifest, ObjectRef } from '../api/meta.ts';
import { groupVersionOf } from '../engine/selection/group-version.ts';

/**
 * Text that names one object on one member; also the order in which lists of objects are sorted. Without the version: an
 * object is one whatever version it is asked for in, and a manifest that moves from v1 to v2 must not look like one object
 * that came and another that is left over.
 */
export const objectKey = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  `${groupVersionOf(apiVersion).group}/${kind}/${namespace ?? ''}/${name}`;

export const keyOfManifest = (manifest: Manifest): string => objectKey(refOfManifest(manifest));

export const refOfManifest = (manifest: Manifest): ObjectRef => ({
  apiVersion: manifest.apiVersion,
  kind: manifest.kind,
  ...(manifest.metadata.namespace ? { namespace: manifest.metadata.namespace } : {}),
  name: manifest.metadata.name,
});

/** `Deployment shop/web`, for people. */
export const describeRef = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
