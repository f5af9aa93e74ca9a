import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { groupVersionOf } from '../selection/group-version.ts';

export const refOfManifest = ({ apiVersion, kind, metadata }: Manifest): ObjectRef => ({
  apiVersion,
  kind,
  ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  name: metadata.name,
});

/** The version may differ between what was applied and what a member lists: an object is one whatever its version. */
export const keyOf = ({
  apiVersion,
  kind,
  namespace,
  name,
}: Omit<ObjectRef, 'namespace'> & { readonly namespace?: string | undefined }): string =>
  `${groupVersionOf(apiVersion).group}/${kind}/${namespace ?? ''}/${name}`;
