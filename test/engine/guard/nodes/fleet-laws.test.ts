import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlanInput } from '../../../../src/engine/input.ts';
import { planFleet } from '../../../../src/engine/plan.ts';
import { drawn, patience } from '../../../support/law-runs.ts';
import { claim, node, nodeMember, nodePool, observedNodes, smallMarket } from '../../../support/node-world.ts';
import { inputOf, later } from './judged.ts';

const labels: readonly Readonly<Record<string, string>>[] = [{ env: 'dev' }, { env: 'prod' }, { env: 'prod' }, {}];
const amount = fc.constantFrom('0', '1', '2', '3', '30%', '70%');
const selector = fc.constantFrom({}, { matchLabels: { env: 'dev' } }, { matchLabels: { env: 'prod' } });
const budget = fc.record(
  {
    limit: fc.oneof(
      fc.record({ clusters: amount }),
      fc.record({ nodes: amount }),
      fc.record({ clusters: amount, nodes: amount }),
    ),
    clusterSelector: selector,
    reasons: fc.subarray(['Drifted', 'Empty', 'Expired'], { minLength: 1 }),
    window: fc.constantFrom({ schedule: '0 10 * * *', duration: '10s' }, { schedule: '0 9 * * *', duration: '1h' }),
  },
  { requiredKeys: ['limit'] },
);
const limits = fc.record({
  budgets: fc
    .array(budget, { maxLength: 2 })
    .map((all) => all.map(({ limit, window, ...of }) => ({ ...of, ...limit, ...window }))),
  waves: fc.array(selector, { maxLength: 2 }),
});

const oneNode = fc.record({
  isDrifted: fc.boolean(),
  isLeaving: fc.nat(5).map((n) => n === 0),
  isReady: fc.nat(5).map((n) => n > 0),
  isInitialized: fc.nat(5).map((n) => n > 0),
  isTerminating: fc.boolean(),
  pool: fc.constantFrom('default', 'default', 'default', 'unknown'),
});
const cluster = fc.record({
  nodes: fc.array(oneNode, { maxLength: 3 }),
  consolidateAfter: fc.constantFrom('0s', 'Never'),
  isObserved: fc.nat(7).map((n) => n > 0),
  expireAfter: fc.constantFrom('Never', 'Never', '1h'),
});
type DrawnCluster = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

function observedAs({ nodes, consolidateAfter, isObserved, expireAfter }: DrawnCluster, name: string): string {
  const own = nodes.map(({ isReady, isInitialized, pool }, at) =>
    node(`${name}-${at}`, { ready: isReady, initialized: isInitialized, pool }),
  );
  const claims = own.map((of, at) => {
    const { isDrifted, isLeaving, isTerminating } = nodes[at]!;
    return claim(of, {
      spec: { expireAfter },
      metadata: isLeaving ? { deletionTimestamp: '2026-11-20T09:59:00Z' } : {},
      status: {
        conditions: [
          'Initialized',
          ...(isDrifted ? ['Drifted'] : []),
          ...(isLeaving && isTerminating ? ['InstanceTerminating'] : []),
        ].map((type) => ({
          type,
          status: 'True',
          reason: type,
          lastTransitionTime: '2026-11-20T08:00:00Z',
        })),
      },
    });
  });
  const pool = nodePool('default', {
    disruption: { consolidateAfter, budgets: [{ nodes: '100%' }] },
    template: { expireAfter },
  });
  return observedNodes(name, {
    nodes: own,
    ...(isObserved ? { pods: [] } : {}),
    extras: [pool, ...claims],
    launches: [],
  });
}

it(
  'the guard accepts what the planner starts under limits of the fleet, now and as commands go on',
  async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.tuple(cluster, cluster, cluster, cluster), async (nodeDisruption, clusters) => {
        const names = clusters.map((_, at) => `c${at}`);
        const files = Object.fromEntries(
          names.map((name, at) => [`members/${name}.yaml`, nodeMember(name, 'execute', labels[at])]),
        );
        const config = {
          apiVersion: 'gitfleet.dev/v1alpha1',
          kind: 'FleetConfig',
          metadata: { name: 'fleet' },
          spec: { nodeDisruption },
        };
        let input: PlanInput = await inputOf(
          { ...files, ...smallMarket, 'fleet.yaml': JSON.stringify(config) },
          clusters.map((of, at) => observedAs(of, names[at]!)),
        );
        expect(input.fleet.config).toBeDefined();
        for (const seconds of [5, 10, 600]) {
          const { plan } = planFleet(input);
          expect(plan.guard).toEqual([]);
          input = later(input, plan, seconds);
        }
      }),
      drawn(),
    );
  },
  patience(60_000),
);
