import { expect, it } from 'vitest';
import type { DisruptionBudget } from '../../../../src/api/disruption-budget.ts';
import type { Binding } from '../../../../src/api/placement-state.ts';
import { advanceRuns } from '../../../../src/engine/staged/advance-runs.ts';
import { bound, cluster, inputOf, runOf, stage, strategyOf, workOf } from '../world.ts';

const budget: DisruptionBudget = {
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterResourcePlacementDisruptionBudget',
  metadata: { name: 'web', annotations: { 'gitfleet.dev/budget-scope': 'all' } },
  spec: { minAvailable: 0 },
};

/** How often a plan asks bindings where they are, of so many that it has to do with, and how many of them it moves. */
function planned(
  count: number,
  bindingOn: (name: string) => Binding,
): { readonly reads: number; readonly moved: number } {
  let reads = 0;
  const counting = (binding: Binding): Binding => {
    const { targetCluster } = binding;
    return Object.defineProperty({ ...binding }, 'targetCluster', {
      enumerable: true,
      get() {
        reads++;
        return targetCluster;
      },
    });
  };
  const names = Array.from({ length: count }, (_, at) => `c-${at}`);
  const bindings = [...names.map((name) => counting(bindingOn(name))), bound('z')];
  const outcome = advanceRuns(
    workOf({ bindings, snapshots: [0, 1] }),
    inputOf({
      runs: [runOf({ resourceSnapshotIndex: '0' })],
      strategies: [strategyOf(stage('all', { labelSelector: {}, maxConcurrency: '100%' }))],
      clusters: [...names, 'z'].map((name) => cluster(name, 'all')),
      budgets: [budget],
    }),
  );
  return { reads, moved: outcome.work.bindings.filter(({ move }) => move === 'update' || move === 'remove').length };
}

it.each<[string, (name: string) => Binding]>([
  ['starting all clusters of a stage', (name) => bound(name, 1)],
  ['removing what is not picked any more', (name) => bound(name, 0, { state: 'Unscheduled', previousState: 'Bound' })],
])('%s takes twice as long for twice as many', (_, bindingOn) => {
  const [few, many] = [planned(100, bindingOn), planned(200, bindingOn)];
  expect([few.moved, many.moved]).toEqual([100, 200]);
  expect(many.reads).toBeLessThan(2.1 * few.reads);
});
