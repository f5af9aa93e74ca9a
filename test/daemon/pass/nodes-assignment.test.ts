import { expect, it } from 'vitest';
import { nodesAssignment } from '../../../src/daemon/pass/nodes-assignment.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import type { NodesTarget } from '../../../src/engine/plan-document.ts';
import { inputOf } from '../../engine/guard/nodes/judged.ts';
import { claim, node, nodePool, observedNodes, pod } from '../../support/node-world.ts';
import { nodeFiles } from '../nodes/node-fleet.ts';

/** A pool whose nodes have the label `made`. */
const labelled = (made: string, template: object = {}) => {
  const { spec, ...pool } = nodePool('default', { disruption: { budgets: [{ nodes: '100%' }] }, template });
  return { ...pool, spec: { ...spec, template: { metadata: { labels: { made } }, ...spec.template } } };
};

it.each([
  ['the pool that is delivered', labelled('before'), 'from-file'],
  [
    'the pool of the cluster where it refuses that one',
    labelled('before', { nodeClassRef: { group: 'karpenter.azure.com', kind: 'Other', name: 'default' } }),
    'before',
  ],
])('nodes are launched as %s makes them', async (_, live, made) => {
  const n1 = node('n1');
  const files = { ...nodeFiles('execute'), 'resources/pool.yaml': JSON.stringify(labelled('from-file')) };
  const extras = [live, claim(n1)];
  const observed = observedNodes('eu-1', { nodes: [n1], pods: [pod('a', 'n1', { cpu: '3' })], extras, launches: [] });
  const result = planFleet(await inputOf(files, [observed]));
  const target = result.plan.targets.find((one): one is NodesTarget => 'nodes' in one)!;
  expect(target.nodes.nodes).toMatchObject([{ name: 'n1', want: 'Tainted' }]);
  expect(nodesAssignment(target, result)?.wanted?.launches).toMatchObject([{ labels: { made } }]);
});
