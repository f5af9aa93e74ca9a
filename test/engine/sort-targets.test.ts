import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlacementTarget, Target } from '../../src/engine/plan-document.ts';
import { sortTargets } from '../../src/engine/sort-targets.ts';
import { handleTarget, placementTargets } from '../../src/engine/target-kinds.ts';
import { drawn } from '../support/law-runs.ts';

const name = fc.stringMatching(/^[ab][-.]?[ab]{0,2}$/);
const target: fc.Arbitrary<PlacementTarget> = fc.record({
  clusterName: name,
  placement: fc.record({ kind: fc.constant('ClusterResourcePlacement' as const), name }),
  remove: fc.boolean(),
  objects: fc.constant([]),
});
/** What a cluster has at most one of. */
const ofCluster = (clusterName: string): Target[] => [
  { clusterName, nodes: { digest: '', nodes: [], launches: [] } },
  { clusterName, upgrade: { run: 'r', operationId: 'r.a', type: 'NodeImageOnly', pools: [] } },
];
const lists = fc.array(fc.array(target, { maxLength: 5 }), { maxLength: 5 });
const text = ({ clusterName, placement }: PlacementTarget): string =>
  `${clusterName} ${placement.name} ${placement.kind}`;

it('targets stand by the names of cluster and placement, eu before eu-1, also where most of them stood there before', () => {
  fc.assert(
    fc.property(lists, lists, fc.array(fc.boolean(), { minLength: 5 }), (before, added, stays) => {
      const after = [...before.filter((_, at) => stays[at]), ...added];
      const { sorted } = sortTargets(after, sortTargets(before, undefined));
      expect(placementTargets(sorted).map(text)).toEqual(after.flat().map(text).sort());
      expect(new Set(sorted)).toEqual(new Set(after.flat()));
    }),
    drawn(),
  );
});

it('of one cluster, the upgrade and the nodes stand before placements', () => {
  const placed: Target = {
    clusterName: 'a',
    placement: { kind: 'ClusterResourcePlacement', name: '0' },
    remove: false,
    objects: [],
  };
  const first = sortTargets([ofCluster('b'), [placed]], undefined);
  const { sorted } = sortTargets([...first.lists, ofCluster('a')], first);
  const kinds = { placement: () => 'placement', upgrade: () => 'upgrade', nodes: () => 'nodes' };
  expect(sorted.map((target) => `${target.clusterName} ${handleTarget(target, kinds)}`)).toEqual([
    'a upgrade',
    'a nodes',
    'a placement',
    'b upgrade',
    'b nodes',
  ]);
});
