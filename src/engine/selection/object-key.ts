import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { groupVersionOf } from './group-version.ts';

type Ref = Omit<ObjectRef, 'namespace'> & { readonly namespace?: string | undefined };

/**
 * Identifies one object on one member; lists of objects are sorted by it. It has no version: an object is the same in every
 * version, and a manifest that changes from v1 to v2 must not look like a new object and an orphaned one.
 */
export const objectKey = ({ apiVersion, kind, namespace, name }: Ref): string =>
  `${groupVersionOf(apiVersion).group}/${kind}/${namespace ?? ''}/${name}`;

/** `objectKey` of the object that a manifest describes. */
export const keyOfManifest = (manifest: Manifest): string => objectKey(refOfManifest(manifest));

/** Which object a manifest describes; without a namespace where it names none. */
export const refOfManifest = ({ apiVersion, kind, metadata }: Manifest): ObjectRef => ({
  apiVersion,
  kind,
  ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  name: metadata.name,
});

/** An object in messages: `Deployment shop/web`. */
export const describeRef = ({ kind, namespace, name }: Omit<Ref, 'apiVersion'>): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
