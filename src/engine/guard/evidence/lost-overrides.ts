import type { Binding } from '../../../api/placement-state.ts';
import type { Evidence } from './evidence.ts';

/**
 * Whether a binding uses an override snapshot that neither the record nor the plan has: its overrides fail then
 * (KubeFleet overrider, a snapshot that is deleted while it is still referenced).
 */
export function lostOverrides({ record, plan }: Evidence): (binding: Binding) => boolean {
  const isKnown = (kind: string, folder: string, index: string): boolean => {
    const taken = plan.record.get(`overrides/${folder}/${index}.yaml`)?.value as { readonly kind?: string } | undefined;
    const recorded = record.overrides.get(folder)?.filter((snapshot) => String(snapshot.index) === index) ?? [];
    return [taken, ...recorded].some((snapshot) => snapshot?.kind === kind);
  };
  return ({ clusterResourceOverrideSnapshots = [], resourceOverrideSnapshots = [] }) =>
    clusterResourceOverrideSnapshots.some((id) => !isKnown('ClusterResourceOverrideSnapshot', ...split(id))) ||
    resourceOverrideSnapshots.some(
      ({ namespace, name }) => !isKnown('ResourceOverrideSnapshot', ...split(`${namespace}.${name}`)),
    );
}

/** `size-3` is number 3 of `size`. */
function split(id: string): [folder: string, index: string] {
  const at = id.lastIndexOf('-');
  return [id.slice(0, at), id.slice(at + 1)];
}
