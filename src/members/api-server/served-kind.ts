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
 * Whether the API server keeps the kind in its main storage, where each change has a higher resourceVersion than all before.
 * False for events, which often have their own storage, and for aggregated APIs such as metrics or those of operators.
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
