import type { Placement, ResourceIdentifier } from '../../api/placement.ts';
import type { Fleet } from '../input.ts';

/** What helps an object that a member refuses, where the words of its API server tell; undefined where they do not. */
export function fixOfObject(
  object: ResourceIdentifier,
  why: string,
  { placement, fleet }: { readonly placement: Placement; readonly fleet: Pick<Fleet, 'resources'> },
): string | undefined {
  if (isImmutable(why)) return 'give the object a new name, or delete it on the member, and it is made anew';
  const { namespace } = object;
  // As API servers say it (apimachinery, NewNotFound).
  if (namespace === undefined || !why.includes(`namespaces "${namespace}" not found`)) return undefined;
  const isThere = fleet.resources.some(
    ({ manifest: { apiVersion, kind, metadata } }) =>
      apiVersion === 'v1' && kind === 'Namespace' && metadata.name === namespace,
  );
  const add = isThere ? '' : 'put it under resources/ and ';
  // Of cluster-scoped objects a ResourcePlacement may select none.
  return placement.kind === 'ResourcePlacement'
    ? `the member has no Namespace ${namespace}: ${add}select it in a ClusterResourcePlacement that goes there, or create it on the member`
    : `the member has no Namespace ${namespace}: ${add}add it to resourceSelectors, or create it on the member`;
}

/** As API servers say it of a Job's template, a workload's selector, a Service's address (apimachinery, ValidateImmutableField). */
const isImmutable = (why: string): boolean => why.includes('field is immutable');
