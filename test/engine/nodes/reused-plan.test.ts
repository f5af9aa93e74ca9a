import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clusterObservation } from '../../../src/api/observation.ts';
import { readPool } from '../../../src/engine/node-pools/pool.ts';
import { marketOf } from '../../../src/engine/nodes/launch/market.ts';
import { type ClusterPlan, planCluster } from '../../../src/engine/nodes/plan-cluster.ts';
import { sha256 } from '../../../src/repo/sha256.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { claim, node, nodePool, pod, smallMarket } from '../../support/node-world.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const minute = 60_000;
const at = (minutes: number): string => new Date(now + minutes * minute).toISOString();
const { market } = marketOf(
  {},
  [JSON.parse(smallMarket['nodes/prices.yaml']!)],
  [JSON.parse(smallMarket['nodes/catalog.yaml']!)],
);

const minutesAgo = fc.integer({ min: -90, max: 0 });
const given = fc.record({
  nodes: fc.array(
    fc.record({
      createdAt: minutesAgo,
      type: fc.constantFrom('D8', 'D8', 'D8', 'gone'),
      expireAfter: fc.constantFrom('Never', '1h', '95m', '3h'),
      podEvent: fc.option(minutesAgo, { nil: undefined }),
      pods: fc.array(
        fc.record({
          cpu: fc.constantFrom(0.5, 2, 5),
          isFor: fc.option(fc.constantFrom('30m', '2h', 'true')),
          startTime: minutesAgo,
        }),
        { maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  consolidateAfter: fc.constantFrom('0s', '45m', '2h'),
  window: fc.option(fc.record({ hour: fc.constantFrom(9, 10, 11), duration: fc.constantFrom('30m', '2h') })),
  failure: fc.option(minutesAgo),
  later: fc.array(fc.integer({ min: 1, max: 300 * minute }), { minLength: 3, maxLength: 3 }),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function planner({ nodes, consolidateAfter, window, failure }: Given): (instant: number) => ClusterPlan {
  const made = nodes.map(({ createdAt, type }, index) => node(`n${index}`, { createdAt: at(createdAt), type }));
  const pods = nodes.flatMap((of, index) =>
    of.pods.map(({ cpu, isFor, startTime }, number) =>
      pod(`p${index}-${number}`, `n${index}`, {
        cpu: String(cpu),
        annotations: isFor === null ? {} : { 'karpenter.sh/do-not-disrupt': isFor },
        status: { phase: 'Running', startTime: at(startTime) },
      }),
    ),
  );
  const claims = made.map((one, index) => claim(one, { spec: { expireAfter: nodes[index]!.expireAfter } }));
  const budgets = [
    { nodes: '50%' },
    ...(window ? [{ nodes: '0', schedule: `0 ${window.hour} * * *`, duration: window.duration }] : []),
  ];
  const observation = clusterObservation.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name: 'eu-1' },
    nodes: made,
    pods,
    extras: claims,
    podEvents: Object.fromEntries(
      nodes.flatMap(({ podEvent }, index) => (podEvent === undefined ? [] : [[`n${index}`, at(podEvent)]])),
    ),
  });
  const pool = nodePool('default', { disruption: { consolidateAfter, budgets }, template: { expireAfter: '1h' } });
  const failures =
    failure === null
      ? []
      : [{ nodes: ['n0'], times: 1, at: at(failure), until: at(failure + 40), cause: 'no capacity' }];
  return (instant) =>
    planCluster({
      clusterName: 'eu-1',
      mode: 'execute',
      observation,
      pools: new Map([['default', readPool(pool as never, undefined)]]),
      market,
      record: {
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'NodePlan',
        metadata: { name: 'eu-1' },
        mode: 'execute',
        pools: [],
        commands: [],
        blocked: [],
        claims: [],
        failures,
      },
      launches: observation.launches !== undefined,
      gates: { SpotToSpotConsolidation: false },
      now: instant,
      digest: sha256,
    });
}

const shown = ({ proposed, blocked, underWay, due, claims, driftedNodes, poolsWith, evolved, wakes }: ClusterPlan) => ({
  proposed,
  blocked,
  underWay,
  due,
  claims,
  driftedNodes,
  pools: poolsWith(new Set()),
  failures: evolved.failures,
  wakes,
});

it(
  'a plan of nodes is the same at every instant at which it stands',
  () => {
    fc.assert(
      fc.property(given, (drawnCluster) => {
        const plan = planner(drawnCluster);
        const first = plan(now);
        const { from, until } = first.stands;
        expect(from).toBe(now);
        expect(until).toBeGreaterThan(now);
        for (const later of [...drawnCluster.later.map((ms) => now + (ms % (until - now))), until - 1])
          expect(shown(plan(later))).toEqual(shown(first));
      }),
      drawn(300, 11),
    );
  },
  patience(20_000),
);
