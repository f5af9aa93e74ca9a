import type { Override } from './override.ts';

/** ClusterResourceOverrides of a fleet, and ResourceOverrides of one namespace (KubeFleet pkg/utils/validator, override). */
export const mostOverrides = 100;

/** Equal for overrides that share a limit. */
export const overrideScope = ({ kind, metadata }: Override): string => `${kind}/${metadata.namespace ?? ''}`;

/** One resource that an override selects. */
export interface SelectedByOverride {
  /** Equal for two overrides that may not both select it: those of one kind, and of one namespace. */
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** Path of the selector in the override. */
  readonly path: readonly (string | number)[];
}

/** The resources that an override selects, in the order of its selectors. A resource has one override of a kind for all its versions. */
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
