import { afterEach, expect, it } from 'vitest';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { nodeFiles, nodeMemberSpec, workload } from '../nodes/node-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

it('gauges follow the plan of nodes: what leaves and why, what is blocked, and what is saved', async () => {
  const held = { 'karpenter.sh/do-not-disrupt': 'true' };
  const full = workload('full', 1, '6', {}, held);
  fleet = await VirtualFleet.open(nodeFiles('execute'), nodeMemberSpec([{ count: 3 }], [full]));
  const { metrics } = fleet.start();
  const shown = () =>
    metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith('gitfleet_node') && !line.endsWith(' 0'))
      .map((line) => line.slice('gitfleet_node'.length));
  const validated = [
    's 3',
    's_disrupting 2',
    's_leaving{reason="Empty"} 2',
    's_blocked{reason="PodDoNotDisrupt"} 1',
    '_commands{phase="Validating"} 1',
    '_savings_per_hour 0.8',
  ];
  await fleet.until('a command is validated', () => shown().join() === validated.join());
  await fleet.until('two are gone', () => shown().includes('s 1'));
  expect(shown()).toEqual(['s 1', 's_blocked{reason="PodDoNotDisrupt"} 1']);
});
