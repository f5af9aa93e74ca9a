import type { Override } from './override.ts';

/** ClusterResourceOverrides of a fleet, and ResourceOverrides of one namespace (KubeFleet pkg/utils/validator, override). */
export const mostOverrides = 100;

/** Equal for overrides that count together. */
export const overrideScope = ({ kind, metadata }: Override): string => `${kind}/${metadata.namespace ?? ''}`;

/** One resource that an override selects. */
export interface SelectedByOverride {
  /** Equal for two overrides that may not both select it: those of one kind, and of one namespace. */
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** Where the selector stands in the override. */
  readonly path: readonly (string | number)[];
}

/** What an override selects, in the order of its selectors. A resource has one override of a kind, whatever the version. */
export function selectedByOverride({ kind, metadata, spec }: Override): readonly SelectedByOverride[] {
  const [field, selectors] =
    'clusterResourceSelectors' in spec
      ? (['clusterResourceSelectors', spec.clusterResourceSelectors] as const)
      : (['resourceSelectors', spec.resourceSelectors] as const);
  return selectors.map((selector, at) => ({
    key: `${kind}/${metadata.namespace ?? ''}/${selector.group}/${selector.kind}/${selector.name}`,
    kind: selector.kind,
    name: selector.name,
    path: ['spec', field, at],
  }));
}
