import type { Placement, ResourceIdentifier } from '../../api/placement.ts';
import type { Fleet } from '../input.ts';

/**
 * What helps an object that could not be applied, where the result of that or the words of the API server tell; undefined where
 * they do not.
 */
export function fixOfObject(
  { object, reason, why }: { readonly object: ResourceIdentifier; readonly reason: string; readonly why: string },
  { placement, fleet }: { readonly placement: Placement; readonly fleet: Pick<Fleet, 'resources'> },
): string | undefined {
  if (reason.startsWith('FoundDrifts'))
    return 'change it back on the member, or write into the repo what it is to be; with whenToApply: Always it is put right (gitfleet get drift lists what differs)';
  if (reason === 'NotTakenOver')
    return 'remove the object from the member, or let it be taken over: whenToTakeOver: IfNoDiff, or Always whatever it holds';
  if (reason === 'FailedToTakeOver' && why.includes('IfNoDiff'))
    return 'make both the same (gitfleet get drift lists what differs), or set whenToTakeOver: Always to have it as in the repo';
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
