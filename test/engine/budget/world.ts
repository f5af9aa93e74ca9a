import type { DisruptionBudget } from '../../../src/api/disruption-budget.ts';
import type { PlacementPolicy } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { bound, scheduled } from '../staged/world.ts';

export const budget = (spec: DisruptionBudget['spec']): DisruptionBudget => ({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterResourcePlacementDisruptionBudget',
  metadata: { name: 'web' },
  spec,
});
export const pickAll: PlacementPolicy = { placementType: 'PickAll' };
export const pickN = (numberOfClusters: number): PlacementPolicy => ({ placementType: 'PickN', numberOfClusters });
export const pickFixed = (...clusterNames: string[]): PlacementPolicy => ({ placementType: 'PickFixed', clusterNames });

export const yes = (name: string): Binding => bound(name);
export const no = (name: string): Binding =>
  bound(name, 0, { conditions: [{ type: 'Available', status: 'False', reason: 'NotAllWorkAreAvailable' }] });
export const quiet = (name: string): Binding => bound(name, 0, { conditions: [] });
export const gone = (name: string): Binding => bound(name, 0, { state: 'Unscheduled', previousState: 'Bound' });
export const leaving = (name: string): Binding => bound(name, 0, { deleting: true });
const goneAndDown = (name: string): Binding => ({ ...no(name), state: 'Unscheduled', previousState: 'Bound' });
/** `a` available, `u` unavailable, `q` no condition, `s` scheduled, `x` Unscheduled and available, `y` not available, `d` being removed. */
export const bindings = (letters: string): Binding[] =>
  [...letters].map((letter, place) =>
    ({ a: yes, u: no, q: quiet, s: (name: string) => scheduled(name), x: gone, y: goneAndDown, d: leaving })[letter]!(
      `c-${place}`,
    ),
  );
