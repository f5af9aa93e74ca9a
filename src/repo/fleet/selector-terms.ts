import type { ClusterSelectorTerm, Placement } from '../../api/placement.ts';

/** The required and preferred cluster selector terms of a placement, with their dotted paths inside it. */
export function selectorTerms({ spec }: Placement): { readonly term: ClusterSelectorTerm; readonly path: string }[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: required, ...rest } =
    spec.policy.affinity?.clusterAffinity ?? {};
  const preferred = rest.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const path = 'spec.policy.affinity.clusterAffinity';
  return [
    ...(required?.clusterSelectorTerms ?? []).map((term, at) => ({
      term,
      path: `${path}.requiredDuringSchedulingIgnoredDuringExecution.clusterSelectorTerms.${at}`,
    })),
    ...preferred.map(({ preference }, at) => ({
      term: preference,
      path: `${path}.preferredDuringSchedulingIgnoredDuringExecution.${at}.preference`,
    })),
  ];
}
