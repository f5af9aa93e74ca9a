import { afterEach, describe, expect, it } from 'vitest';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { nodeFiles, nodeMemberSpec, nodeNames, podsOf, published, taintsOf, workload } from './node-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const open = async (...given: Parameters<typeof VirtualFleet.open>): Promise<VirtualFleet> => {
  fleet = await VirtualFleet.open(...given);
  return fleet;
};

/** Requests that change something about nodes, in order, as `PATCH nodes/d8-0`. */
const changes = (): string[] =>
  fleet.requests.flatMap((line) => {
    const [, method, path = ''] = line.split(' ');
    const short = /\/(nodes\/[^/?]+|pods\/[^/?]+\/eviction)/.exec(path)?.[1];
    return method === 'GET' || short === undefined ? [] : [`${method} ${short}`];
  });

describe('in mode execute', () => {
  it('empty nodes are tainted and removed, after a validation of 15 s', async () => {
    await open(
      nodeFiles('execute'),
      nodeMemberSpec(
        [
          { count: 1, prefix: 'used' },
          { count: 2, prefix: 'idle' },
        ],
        [workload('web', 1, '6', { nodeSelector: { 'kubernetes.io/hostname': 'used-0' } })],
      ),
    );
    fleet.start();
    await fleet.until(
      'the command is validated',
      async () => (await published(fleet))?.commands[0]?.phase === 'Validating',
    );
    expect(changes()).toEqual([]);
    await fleet.until('they are gone', () => nodeNames(fleet).length === 1);
    expect(nodeNames(fleet)).toEqual(['used-0']);
    expect(changes().toSorted()).toEqual([
      'DELETE nodes/idle-0',
      'DELETE nodes/idle-1',
      'PATCH nodes/idle-0',
      'PATCH nodes/idle-1',
    ]);
    await fleet.until('the command ends', async () => (await published(fleet))?.commands.length === 0);
    expect((await fleet.repo.log('fleet-status')).join('\n')).toContain('saves 584 EUR a month');
  });

  it('underutilized nodes are drained after their replacement is there, and nothing moves afterwards', async () => {
    await open(nodeFiles('execute'), nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')]));
    fleet.start();
    await fleet.until('both are replaced', () => !nodeNames(fleet).some((name) => name.startsWith('d8')), 300);
    const [replacement] = nodeNames(fleet);
    expect(nodeNames(fleet)).toHaveLength(1);
    const order = changes().map((line) => line.replace(replacement!, 'new'));
    expect(order.indexOf('PUT nodes/new')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('PUT nodes/new')).toBeLessThan(order.findIndex((line) => line.includes('eviction')));
    expect(order.at(-1)).toMatch(/DELETE nodes\/d8/);
    await fleet.until('pods run again', () => podsOf(fleet).every((pod) => pod === `${replacement} Running`));
    await fleet.run(120);
    expect((await published(fleet))?.commands).toEqual([]);
  });

  it('a replacement that never comes up rolls the command back, and its nodes cool down', async () => {
    await open(
      nodeFiles('execute'),
      nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')], { launches: { seconds: 5, outcome: 'Hangs' } }),
    );
    fleet.start();
    await fleet.until('nodes are tainted', () => taintsOf(fleet).length > 0);
    await fleet.until('they are free again', () => taintsOf(fleet).length === 0, 700);
    const plan = await published(fleet);
    expect(plan?.failures).toMatchObject([{ nodes: ['d8-0', 'd8-1'], times: 1 }]);
    expect(nodeNames(fleet)).toEqual(['d8-0', 'd8-1']);
    expect(changes().some((line) => line.includes('eviction'))).toBe(false);
  });

  it('a launch that fails rolls the command back, and is tried again after the cool-down', async () => {
    await open(
      nodeFiles('execute'),
      nodeMemberSpec([{ count: 2 }], [workload('web', 2, '1')], { launches: { seconds: 5, outcome: 'Fails' } }),
    );
    fleet.start();
    await fleet.until('it fails', async () => (await published(fleet))?.failures[0]?.times === 1);
    await fleet.until('it fails again', async () => (await published(fleet))?.failures[0]?.times === 2, 600);
    expect(taintsOf(fleet).length).toBeLessThanOrEqual(2);
  });

  it('a PodDisruptionBudget that allows one pod at a time slows the drain, and every eviction asks it', async () => {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
    };
    await open(nodeFiles('execute'), nodeMemberSpec([{ count: 2 }], [workload('web', 4, '0.5'), budget]));
    fleet.start();
    await fleet.until('both are replaced', () => !nodeNames(fleet).some((name) => name.startsWith('d8')), 600);
    expect(changes().filter((line) => line.includes('eviction')).length).toBeGreaterThanOrEqual(4);
    await fleet.until('pods run again', () => podsOf(fleet).filter((pod) => pod.endsWith('Running')).length === 4);
  });

  it('a node whose budget window is closed stays until it opens', async () => {
    const budgets = [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }, { nodes: '100%' }];
    await open(
      nodeFiles('execute', { disruption: { consolidateAfter: '0s', budgets } }),
      nodeMemberSpec([{ count: 2 }], [workload('web', 1, '6', { nodeSelector: { 'kubernetes.io/hostname': 'd8-0' } })]),
    );
    fleet.start();
    await fleet.run(600);
    expect(changes()).toEqual([]);
    await fleet.run(Math.round((Date.parse('2026-11-20T16:59:50Z') - fleet.clock.now()) / 1000));
    expect(nodeNames(fleet)).toEqual(['d8-0', 'd8-1']);
    await fleet.until('the empty one is gone', () => nodeNames(fleet).length === 1, 60);
  });

  it('a drifted node is replaced before it goes', async () => {
    const files = nodeFiles('execute', { disruption: { consolidateAfter: 'Never' } });
    await open(files, nodeMemberSpec([{ count: 1 }], [workload('web', 1, '6')]));
    fleet.start();
    await fleet.until('it is known', async () => (await published(fleet))?.claims[0]?.template !== undefined);
    const pool = JSON.parse(files['resources/pool.yaml']!);
    pool.spec.template.metadata = { labels: { generation: 'two' } };
    fleet.commit({ 'resources/pool.yaml': JSON.stringify(pool) });
    await fleet.until('it is replaced', () => !nodeNames(fleet).includes('d8-0'), 300);
    expect(nodeNames(fleet)).toHaveLength(1);
    await fleet.until('its pod runs', () => podsOf(fleet).every((line) => line.endsWith('Running')));
  });

  it('an expired node goes by force, without a replacement', async () => {
    await open(
      nodeFiles('execute', { disruption: { consolidateAfter: 'Never' }, template: { expireAfter: '1h' } }),
      nodeMemberSpec([{ count: 1 }], [workload('web', 1, '1')]),
    );
    fleet.start();
    await fleet.run(3_500);
    expect(nodeNames(fleet)).toEqual(['d8-0']);
    await fleet.until('it is gone', () => nodeNames(fleet).length === 0, 200);
  });

  it('a pod that becomes protected during its drain holds it until a deadline, if there is one', async () => {
    await open(
      nodeFiles('execute', {
        disruption: { consolidateAfter: 'Never' },
        template: { expireAfter: '1h', terminationGracePeriod: '10m' },
      }),
      nodeMemberSpec([{ count: 2 }], [workload('web', 1, '1', {}, { 'karpenter.sh/do-not-disrupt': 'true' })]),
    );
    fleet.start();
    await fleet.run(3_600 + 300);
    expect(nodeNames(fleet)).toHaveLength(1);
    expect(fleet.logged.join('\n')).toContain('has karpenter.sh/do-not-disrupt');
    await fleet.until('the deadline ends it', () => nodeNames(fleet).length === 0, 600);
    expect(changes().some((line) => line.includes('eviction'))).toBe(false);
  });

  it('a taint that nothing asks for is removed', async () => {
    await open(nodeFiles('execute', { disruption: { consolidateAfter: 'Never' } }), nodeMemberSpec([{ count: 1 }]));
    fleet.start();
    await fleet.run(60);
    await fleet.ask(
      'eu-1',
      'PATCH',
      '/api/v1/nodes/d8-0',
      { spec: { taints: [{ key: 'gitfleet.dev/disrupted', effect: 'NoSchedule' }] } },
      'application/merge-patch+json',
    );
    expect(taintsOf(fleet)).toEqual(['d8-0']);
    await fleet.until('it is gone', () => taintsOf(fleet).length === 0, 60);
  });
});
