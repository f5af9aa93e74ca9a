import type { PlacementKind } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { FleetRecord, RecordedPlacement } from '../../engine/input.ts';
import { titleOf } from '../../repo/title-of.ts';

/** A placement of the record. `status.yaml` may be missing where the record was written by hand. */
export interface KnownPlacement extends RecordedPlacement {
  readonly kind: PlacementKind;
  readonly name: string;
  readonly namespace: string | undefined;
  /** `name` or `namespace/name`. */
  readonly title: string;
}

/** Cluster-scoped placements first, then by namespace and name. */
export const knownPlacements = (record: FleetRecord): KnownPlacement[] =>
  [...record.placements.values()]
    .map((recorded): KnownPlacement => {
      const { name, namespace } = recorded.state.metadata;
      const kind = namespace === undefined ? 'ClusterResourcePlacement' : 'ResourcePlacement';
      return { ...recorded, kind, name, namespace, title: titleOf({ name, namespace }) };
    })
    .sort(byName);

/** What a placement has, or is to get, on one cluster. */
export interface Bound {
  readonly placement: KnownPlacement;
  readonly binding: Binding;
}

interface Named {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** Order of rows: by namespace, those without one first, then by name. */
export const byName = (a: Named, b: Named): number => {
  const [x, y] = [a, b].map(({ name, namespace }) => `${namespace ?? ''}/${name}`) as [string, string];
  return x < y ? -1 : x > y ? 1 : 0;
};
