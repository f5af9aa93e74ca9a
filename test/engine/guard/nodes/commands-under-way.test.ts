import { expect, it } from 'vitest';
import { clusterObservation } from '../../../../src/api/observation.ts';
import { planFleet } from '../../../../src/engine/plan.ts';
import { claim, node, nodeMember, nodePool, observedNodes, pod, smallMarket } from '../../../support/node-world.ts';
import { inputOf, later, rulesOf } from './judged.ts';

const [n1, k] = [node('n1'), node('k')];
const held = (on: string) => pod(`held-${on}`, on, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
const drifted = { conditions: [{ type: 'Drifted', status: 'True', reason: 'ImageDrift' }] };
const claims = [claim(n1, { status: { nodeName: 'n1', ...drifted } }), claim(k)];
const shown = { nodes: [n1, k], pods: [pod('a', 'n1'), pod('b', 'n1', { cpu: '5' }), pod('c', 'k', { cpu: '6.5' })] };
const marked = node('k', { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] });

it.each<[string, readonly object[], typeof shown, string[]]>([
  ['where all is as it was', claims, shown, []],
  ['where a node that takes in its pods is gone', claims, { ...shown, nodes: [n1] }, ['PodHasNoPlace']],
  ['where one is disrupted by Karpenter', claims, { ...shown, nodes: [n1, marked] }, ['PodHasNoPlace']],
  ['where its own pod is gone with it', claims, { nodes: [n1], pods: [shown.pods[1]!] }, []],
  [
    'that saves something, where a pod must stay by now',
    [claim(n1), claim(k)],
    { ...shown, pods: [held('n1'), held('k')] },
    ['BlockedNodeDisrupted'],
  ],
])('a command does not go on to drain nodes %s', async (_, first, then, rules) => {
  const pool = nodePool('default', { disruption: { budgets: [{ nodes: '2' }] } });
  const observe = (world: typeof shown) => observedNodes('eu-1', { ...world, extras: [pool, ...first], launches: [] });
  const before = { ...shown, pods: shown.pods.filter(({ metadata: { name } }) => first === claims || name !== 'b') };
  const input = await inputOf({ 'members/eu-1.yaml': nodeMember('eu-1', 'execute'), ...smallMarket }, [
    observe(before),
  ]);
  const begun = planFleet(input).plan;
  const observations = new Map([['eu-1', clusterObservation.parse(JSON.parse(observe(then)))]]);
  const next = { ...later(input, begun, 30), observations };
  const [section] = begun.nodes;
  const commands = section!.commands.map((command) => ({ ...command, phase: 'Removing' as const }));
  expect(commands).toHaveLength(1);
  const wrong = { ...planFleet(next).plan, nodes: [{ ...section!, commands }] };
  expect(rulesOf(wrong, next).filter((rule) => rule !== 'NodeWithoutCommand')).toEqual(rules);
});
