import { expect, it } from 'vitest';
import { memoryCache } from '../../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const placement = (name: string, strategy = ''): string => `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourcePlacement
metadata: {name: ${name}}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: app}]
${strategy}`;

const config = (strategy: string): string => `apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec: {defaults: {strategy: ${strategy}}}
`;

it('a placement that names no strategy has the one of fleet.yaml; one that names its own keeps it whole', async () => {
  const fleet = await loadFleet(
    treeOf({
      'fleet.yaml': config('{rollingUpdate: {maxUnavailable: 1}, applyStrategy: {type: ServerSideApply}}'),
      'a.yaml': placement('a'),
      'b.yaml': placement('b', '  strategy: {type: External}\n'),
    }),
  );
  expect(fleet.problems).toEqual([]);
  expect(fleet.placements.map(({ spec }) => spec.strategy)).toMatchObject([
    {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1, maxSurge: '25%', unavailablePeriodSeconds: 60 },
      applyStrategy: { type: 'ServerSideApply' },
    },
    { type: 'External' },
  ]);
  expect(fleet.placements[1]?.spec.strategy.applyStrategy.type).toBe('ClientSideApply');
});

it('a strategy that fleet.yaml may not have is refused there, and defaults nothing', async () => {
  const fleet = await loadFleet(treeOf({ 'fleet.yaml': config('{type: Rolling}'), 'a.yaml': placement('a') }));
  expect(fleet.problems.map(({ file, code, path }) => ({ file, code, path }))).toEqual([
    { file: 'fleet.yaml', code: 'invalid-value', path: 'spec.defaults.strategy.type' },
  ]);
  expect(fleet.placements[0]?.spec.strategy.type).toBe('RollingUpdate');
});

it('what did not change keeps its identity from load to load', async () => {
  const cache = memoryCache();
  const tree = treeOf({ 'fleet.yaml': config('{type: External}'), 'a.yaml': placement('a') });
  const [first, second] = [await loadFleet(tree, cache), await loadFleet(tree, cache)];
  expect(second.placements[0]).toBe(first.placements[0]);
  expect(second.config).toBe(first.config);
});

it('lists the placements that use it; an empty strategy counts as absent', async () => {
  const fleet = await loadFleet(
    treeOf({
      'fleet.yaml': config('{type: External}'),
      'a.yaml': placement('a'),
      'b.yaml': placement('b', '  strategy: {}\n'),
      'c.yaml': placement('c', '  strategy:\n'),
    }),
  );
  expect([...fleet.withoutStrategy]).toEqual(['a', 'c']);
  expect(fleet.placements.map(({ spec }) => spec.strategy.type)).toEqual(['External', 'RollingUpdate', 'External']);
});
