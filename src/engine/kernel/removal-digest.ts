import type { ClusterName, ObjectRef, PlacementKey } from '../../api/meta.ts';

/** The removal of one object from one cluster. */
export interface Removal {
  readonly clusterName: ClusterName;
  readonly placement: PlacementKey;
  /** `apps/v1/Deployment shop/web`. */
  readonly object: string;
}

/** `object` of a removal. */
export const removedObject = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  `${apiVersion}/${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/**
 * The digest in a RemovalApproval: `sha256:` and the digest of the sorted (cluster, placement, object) lines alone, so that the same
 * removal has the same digest at any commit and time. `purpose` comes first, if the removal is approved for another purpose: an
 * approval of one does not allow the other. So does the number of approvals that were `used` for it: the same removal asked again has
 * another digest. No line begins like these, since names of clusters contain no space and no colon.
 */
export function removalDigestOf(
  removals: readonly Removal[],
  digest: (text: string) => string,
  { purpose, used = 0 }: { readonly purpose?: string; readonly used?: number } = {},
): string {
  const lines = new Set(removals.map(({ clusterName, placement, object }) => `${clusterName} ${placement} ${object}`));
  const first = [...(purpose === undefined ? [] : [`purpose: ${purpose}`]), ...(used === 0 ? [] : [`used: ${used}`])];
  return `sha256:${digest([...first, ...[...lines].sort()].join('\n'))}`;
}
