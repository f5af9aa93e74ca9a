import type { Placement, ResourceIdentifier } from '../../api/placement.ts';
import type { Fleet } from '../input.ts';

export interface FailedObject {
  readonly object: ResourceIdentifier;
  readonly reason: string;
  /** The binding reports how the object on the member differs from that of the repo. */
  readonly differs: boolean;
}

/**
 * The fix for an object that could not be applied, from its result or the message of the API server; undefined where neither
 * shows one.
 */
export function fixOfObject(
  { object, reason, differs, why }: FailedObject & { readonly why: string },
  { placement, fleet }: { readonly placement: Placement; readonly fleet: Pick<Fleet, 'resources'> },
): string | undefined {
  if (reason.startsWith('FoundDrifts'))
    return 'revert the change on the member, or commit it to the repo; with whenToApply: Always the drift is repaired (gitfleet get drift lists the differences)';
  if (reason === 'NotTakenOver')
    return 'remove the object from the member, or allow to take it over: whenToTakeOver: IfNoDiff, or Always even if it differs';
  if (reason === 'FailedToTakeOver' && differs)
    return 'make both the same (gitfleet get drift lists the differences), or set whenToTakeOver: Always to replace it with that of the repo';
  const refused = fixesOfRefusals.find(({ answer }) => answer.test(why));
  if (refused) return refused.fix;
  const { namespace } = object;
  // Message of API servers (apimachinery, NewNotFound).
  if (namespace === undefined || !why.includes(`namespaces "${namespace}" not found`)) return undefined;
  const isThere = fleet.resources.some(
    ({ manifest: { apiVersion, kind, metadata } }) =>
      apiVersion === 'v1' && kind === 'Namespace' && metadata.name === namespace,
  );
  const add = isThere ? '' : 'put it under resources/ and ';
  // A ResourcePlacement cannot select cluster-scoped objects.
  return placement.kind === 'ResourcePlacement'
    ? `the member has no Namespace ${namespace}: ${add}select it in a ClusterResourcePlacement that picks the member, or create it on the member`
    : `the member has no Namespace ${namespace}: ${add}add it to resourceSelectors, or create it on the member`;
}

const createAnew = 'rename the object, or delete it on the member: gitfleet creates it again';

/** What API servers answer to a right that is missing, and to a change of a field that may not change. The first match counts. */
const fixesOfRefusals: readonly { readonly answer: RegExp; readonly fix: string }[] = [
  // Of the authorizer (apiserver, responsewriters.ForbiddenStatusError); admission plugins name no user.
  {
    answer: /\bis forbidden: User ".*" cannot \w+ /,
    fix: 'give the account of gitfleet this right: run gitfleet join for the cluster again, or apply what gitfleet rbac prints',
  },
  // Of RoleBinding and ClusterRoleBinding (kubernetes pkg/apis/rbac/validation, ValidateRoleBindingUpdate).
  {
    answer: /cannot change roleRef/,
    fix: 'give the binding of the other role a name of its own, or delete it on the member: gitfleet creates it again',
  },
  // A transition rule of a CRD without a message of its own (apiextensions, failed rule: self == oldSelf).
  { answer: /\boldSelf\b/, fix: `its CRD does not allow this change: revert it, ${createAnew}` },
  // Of a PersistentVolumeClaim (kubernetes pkg/apis/core/validation, ValidatePersistentVolumeClaimUpdate).
  {
    answer: /spec is immutable after creation/,
    fix: 'revert the change, or rename the object; its data is lost where it is deleted',
  },
  // A Job's template, a workload's selector, a sealed ConfigMap (apimachinery, ValidateImmutableField), and most transition rules.
  { answer: /\bimmutable\b/i, fix: createAnew },
];
