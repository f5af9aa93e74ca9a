import type { Condition, Timestamp } from '../../api/meta.ts';
import type { Placement, PlacementStatus, StatusInNamespace } from '../../api/placement.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { conditionIs, withTransitionTime } from '../kernel/condition.ts';
import { placementType } from './condition-types.ts';

/**
 * The status with `ClusterResourcePlacementStatusSynced` at its end where the placement reports into its namespace
 * (`statusReportingScope: NamespaceAccessible`): whether that namespace is there to report into (KubeFleet
 * placement/namespace_status_sync.go).
 */
export function withStatusSynced(
  placement: Placement,
  status: PlacementStatus,
  context: {
    readonly now: Timestamp;
    readonly recorded: PlacementStatus | undefined;
    /** Whether `resources/` holds a namespace of that name. */
    readonly hasNamespace: (name: string) => boolean;
  },
): PlacementStatus {
  if (!reportsIntoNamespace(placement)) return status;
  const type = placementType(placement, 'StatusSynced');
  const namespace = namespaceOf(placement, status);
  const { generation } = placement.metadata;
  const reported: Pick<Condition, 'status' | 'reason' | 'message'> =
    namespace !== undefined && context.hasNamespace(namespace)
      ? {
          status: 'True',
          reason: 'StatusSyncSucceeded',
          message: `The status is reported in namespace ${JSON.stringify(namespace)}`,
        }
      : {
          status: 'False',
          reason: 'StatusSyncFailed',
          message:
            namespace === undefined
              ? 'The status cannot be reported: the selectors do not select exactly one namespace'
              : `The status cannot be reported: there is no namespace ${JSON.stringify(namespace)}`,
        };
  const synced = withTransitionTime(
    context.recorded?.conditions,
    { type, ...reported, ...(generation === undefined ? {} : { observedGeneration: generation }) },
    context.now,
  );
  return { ...status, conditions: [...others(status, type), synced] };
}

/**
 * KubeFleet's ClusterResourcePlacementStatus: the status without the condition about its own reporting. Undefined when it
 * is not reported. `lastUpdatedTime` changes only with the status.
 */
export function statusInNamespace(
  placement: Placement,
  status: PlacementStatus,
  { now, recorded }: { readonly now: Timestamp; readonly recorded: StatusInNamespace | undefined },
): StatusInNamespace | undefined {
  const type = placementType(placement, 'StatusSynced');
  const namespace = namespaceOf(placement, status);
  if (!reportsIntoNamespace(placement) || namespace === undefined || !conditionIs(status.conditions, type, 'True'))
    return undefined;
  const sourceStatus = { ...status, conditions: others(status, type) };
  const same = recorded !== undefined && canonicalJson(recorded.sourceStatus) === canonicalJson(sourceStatus);
  return {
    apiVersion: placement.apiVersion,
    kind: 'ClusterResourcePlacementStatus',
    metadata: { name: placement.metadata.name, namespace },
    sourceStatus,
    lastUpdatedTime: same ? recorded.lastUpdatedTime : now,
  };
}

const reportsIntoNamespace = ({ kind, spec }: Placement): boolean =>
  kind === 'ClusterResourcePlacement' && spec.statusReportingScope === 'NamespaceAccessible';

const others = ({ conditions = [] }: PlacementStatus, type: string): Condition[] =>
  conditions.filter((condition) => condition.type !== type);

/** The rules let exactly one selector name a Namespace; it may do so by labels. */
function namespaceOf({ spec }: Placement, { selectedResources = [] }: PlacementStatus): string | undefined {
  const selector = spec.resourceSelectors.find(({ group, kind }) => group === '' && kind === 'Namespace');
  if (selector?.name) return selector.name;
  const selected = selectedResources.filter(({ group = '', kind }) => group === '' && kind === 'Namespace');
  return selected.length === 1 ? selected[0]!.name : undefined;
}
