import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClusterName } from '../../../src/api/meta.ts';
import { clusterObservation } from '../../../src/api/observation.ts';
import type { PlanInput } from '../../../src/engine/input.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { sha256 } from '../../../src/repo/sha256.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { claim, node, nodeMember, nodePool, pod, smallMarket } from '../../support/node-world.ts';
import { treeOf } from '../../support/paper-fleet.ts';
import { planDefaults } from '../../support/plan-defaults.ts';
import { later } from '../guard/nodes/judged.ts';

const podOf = fc.record({
  node: fc.nat(4),
  cpu: fc.constantFrom('100m', '500m', '1', '2'),
  app: fc.constantFrom('free', 'free', 'closed', 'twice', 'lenient', 'surging'),
  protection: fc.constantFrom(undefined, undefined, undefined, 'true', 'false', '10m', '+48h', '.5h', '5d'),
  owner: fc.constantFrom('apps/v1 ReplicaSet', 'apps/v1 StatefulSet', 'apps/v1 DaemonSet', 'v1 Node', 'batch/v1 Job'),
  ready: fc.constantFrom('True', 'False', undefined),
  phase: fc.constantFrom('Running', 'Running', 'Pending', 'Succeeded'),
  isTerminating: fc.nat(9).map((n) => n === 0),
  toleration: fc.constantFrom(
    undefined,
    undefined,
    undefined,
    { operator: 'Exists' },
    { key: 'karpenter.sh/disrupted', operator: 'Exists' },
    { key: 'karpenter.sh/disrupted', operator: 'Equal', value: 'x' },
    { key: 'karpenter.sh/disrupted', effect: 'NoExecute' },
  ),
});
const nodeOf = fc.record({
  isReady: fc.nat(6).map((n) => n > 0),
  isMarked: fc.nat(9).map((n) => n === 0),
  isProtected: fc.nat(9).map((n) => n === 0),
  isInitialized: fc.nat(6).map((n) => n > 0),
  isDrifted: fc.nat(4).map((n) => n === 0),
  isExpired: fc.nat(4).map((n) => n === 0),
  isDeleting: fc.nat(9).map((n) => n === 0),
  grace: fc.constantFrom(undefined, '1h'),
});
const cluster = fc.record({
  nodes: fc.array(nodeOf, { minLength: 1, maxLength: 5 }),
  pods: fc.array(podOf, { maxLength: 12 }),
  hasClaims: fc.boolean(),
  isOldPlace: fc.boolean(),
  grace: fc.constantFrom(undefined, '1h'),
  nominated: fc.option(fc.nat(4)),
  budgets: fc.constantFrom(
    undefined,
    [],
    [{ nodes: '100%' }],
    [{ nodes: '1' }, { nodes: '0', reasons: ['Empty'] }],
    [{ nodes: '2', reasons: ['Empty'] }, { nodes: '4' }],
    [{ nodes: '1', reasons: ['Underutilized'] }, { nodes: '3' }],
    [{ nodes: '60%' }, { nodes: '0', schedule: '0 9 * * 1-5', duration: '30m', reasons: ['Drifted'] }],
    [{ nodes: '2', schedule: ',0,30 */2 1-20 * fri', duration: '1h' }],
  ),
});
type Drawn = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

const budget = (name: string, app: string, spec: object = {}, disruptionsAllowed = 0) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop' },
  spec: { selector: { matchLabels: { app } }, ...spec },
  status: { disruptionsAllowed },
});
const budgets = [
  budget('closed', 'closed'),
  budget('one', 'twice', {}, 1),
  budget('two', 'twice', {}, 1),
  budget('lenient', 'lenient', { unhealthyPodEvictionPolicy: 'AlwaysAllow', maxUnavailable: 0 }),
  budget('surging', 'surging', { maxUnavailable: 0 }, 1),
];

function observed({ nodes, pods, hasClaims, isOldPlace, budgets: written, ...more }: Drawn) {
  const made = nodes.map(({ isReady, isMarked, isProtected, isInitialized }, at) =>
    node(`n${at}`, {
      ready: isReady,
      initialized: isInitialized,
      taints: isMarked ? [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] : [],
      annotations: isProtected ? { 'karpenter.sh/do-not-disrupt': 'true' } : {},
    }),
  );
  const claims = made.map((of, at) => {
    const { isDrifted, isExpired, isDeleting, grace } = nodes[at]!;
    const conditions = [
      { type: 'Initialized', status: 'True', lastTransitionTime: '2026-11-01T00:00:00Z' },
      ...(isDrifted ? [{ type: 'Drifted', status: 'True', reason: 'ImageDrift' }] : []),
    ];
    return claim(of, {
      metadata: isDeleting ? { deletionTimestamp: '2026-11-20T09:59:50Z' } : {},
      spec: { expireAfter: isExpired ? '24h' : 'Never', ...(grace ? { terminationGracePeriod: grace } : {}) },
      status: { conditions },
    });
  });
  const disruption = { consolidateAfter: '0s', ...(written ? { budgets: written } : {}) };
  const pool = nodePool('default', {
    disruption: { ...disruption, ...(isOldPlace ? { expireAfter: 'Never' } : {}) },
    template: { expireAfter: isOldPlace ? undefined : 'Never', terminationGracePeriod: more.grace },
  });
  const coming = pod('coming', undefined, {
    status: { phase: 'Pending', nominatedNodeName: `n${(more.nominated ?? 0) % nodes.length}` },
  });
  return clusterObservation.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name: 'eu-1' },
    observedAt: '2026-11-20T10:00:00Z',
    reachable: true,
    memberStatus: {},
    launches: [],
    nodes: made,
    pods: [...pods.map((of, at) => podOn(`p${at}`, of, nodes.length)), ...(more.nominated === null ? [] : [coming])],
    extras: JSON.parse(JSON.stringify([pool, ...budgets, ...(hasClaims ? claims : [])])),
  });
}

function podOn(name: string, of: Drawn['pods'][number], nodes: number) {
  const [apiVersion, kind] = of.owner.split(' ') as [string, string];
  const made = pod(name, `n${of.node % nodes}`, {
    cpu: of.cpu,
    memory: '64Mi',
    labels: { app: of.app },
    annotations: of.protection === undefined ? {} : { 'karpenter.sh/do-not-disrupt': of.protection },
    owner: { apiVersion, kind },
    spec: of.toleration ? { tolerations: [of.toleration] } : {},
    status: {
      phase: of.phase,
      startTime: '2026-11-20T09:45:00Z',
      conditions: of.ready === undefined ? [] : [{ type: 'Ready', status: of.ready }],
    },
  });
  if (!of.isTerminating) return made;
  return { ...made, metadata: { ...made.metadata, deletionTimestamp: '2026-11-20T09:59:50Z' } };
}

it(
  'the guard, which has its own code for every rule, finds nothing in a plan of a drawn cluster',
  async () => {
    const fleet = await loadFleet(treeOf({ 'members/eu-1.yaml': nodeMember('eu-1', 'execute'), ...smallMarket }));
    const { record } = readRecord(new Map());
    fc.assert(
      fc.property(cluster, (given) => {
        let input: PlanInput = {
          now: '2026-11-20T10:00:00Z',
          commit: 'c'.repeat(40),
          fleet,
          observations: new Map([['eu-1' as ClusterName, observed(given)]]),
          ...planDefaults,
          record,
          digest: sha256,
        };
        for (const seconds of [15, 600, 0]) {
          const { plan } = planFleet(input);
          expect(plan.guard).toEqual([]);
          input = later(input, plan, seconds);
        }
      }),
      drawn(150, 5),
    );
  },
  patience(20_000),
);
