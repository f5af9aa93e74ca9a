import type { Override } from '../../../api/override.ts';
import type { Names, Reference } from '../names.ts';
import type { FleetRows } from './row.ts';

const override = {
  in: 'overrides',
  references(of: Override, names: Names): Reference[] {
    const { namespace } = of.metadata;
    const { placement } = of.spec;
    const scope = placement?.scope === 'Namespaced' ? namespace : undefined;
    return [
      ...(placement ? [{ ...names.placement(placement.name, scope), path: 'spec.placement.name' }] : []),
      ...names
        .selectorsInScope(of)
        .map((selector) => ({ ...names.resource(selector, namespace), path: `${selector.path}.name` })),
    ];
  },
} as const;

export const overrideRows: FleetRows<Override> = {
  ClusterResourceOverride: override,
  ResourceOverride: override,
};
