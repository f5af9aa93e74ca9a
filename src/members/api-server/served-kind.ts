import { groupVersionOf } from '../../engine/selection/group-version.ts';

/** One kind as a member serves it. */
export interface ServedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/**
 * Whether an API server keeps the kind in its one storage, where every change has a number above all before it. Not so
 * events, which often have a storage of their own, and what another server answers for, such as metrics or the groups of
 * operators, of which one cannot tell.
 */
export function inOwnStorage({ apiVersion, kind }: Pick<ServedKind, 'apiVersion' | 'kind'>): boolean {
  const { group } = groupVersionOf(apiVersion);
  const isBuiltIn = !group.includes('.') || (group.endsWith('.k8s.io') && !group.endsWith('metrics.k8s.io'));
  return isBuiltIn && kind !== 'Event';
}

/** `/apis/apps/v1/namespaces/shop/deployments/web`; without a name the collection, without a namespace all of them. */
export function pathOf(
  served: ServedKind,
  at: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  const namespace =
    served.namespaced && at.namespace !== undefined ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  const name = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`;
  return `${groupVersionPath(served.apiVersion)}${namespace}/${served.plural}${name}`;
}

/** `/apis/apps/v1`, and `/api/v1` for the core group. */
export const groupVersionPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
