import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { groupVersionOf } from './group-version.ts';

type Ref = Omit<ObjectRef, 'namespace'> & { readonly namespace?: string | undefined };

/**
 * Text that names one object on one member; also the order in which lists of objects are sorted. Without the version: an
 * object is one whatever version it is asked for in, and a manifest that moves from v1 to v2 must not look like one object
 * that came and another that is left over.
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

/** `Deployment shop/web`, for people. */
export const describeRef = ({ kind, namespace, name }: Omit<Ref, 'apiVersion'>): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
