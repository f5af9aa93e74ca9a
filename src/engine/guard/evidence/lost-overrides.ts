import type { Binding } from '../../../api/placement-state.ts';
import type { Evidence } from './evidence.ts';
import { overrideReader } from './override-snapshots.ts';

/**
 * Whether a binding uses an override snapshot that neither the record nor the plan has: its overrides fail then
 * (KubeFleet overrider, a snapshot that is deleted while it is still referenced).
 */
export function lostOverrides(evidence: Evidence): (binding: Binding) => boolean {
  const snapshotOf = overrideReader(evidence);
  return ({ clusterResourceOverrideSnapshots = [], resourceOverrideSnapshots = [] }) =>
    clusterResourceOverrideSnapshots.some((id) => !snapshotOf('ClusterResourceOverrideSnapshot', id)) ||
    resourceOverrideSnapshots.some(
      ({ namespace, name }) => !snapshotOf('ResourceOverrideSnapshot', `${namespace}.${name}`),
    );
}
