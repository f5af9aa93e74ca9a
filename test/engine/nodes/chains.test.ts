import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NodeCommand } from '../../../src/api/nodes/node-plan.ts';
import type { PlanInput } from '../../../src/engine/input.ts';
import { planFleet } from '../../../src/engine/plan.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { nodesTargets } from '../../../src/engine/target-kinds.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { isProtected, type LivingNode, LivingNodes, type LivingPod } from '../../support/living-nodes.ts';
import { market, nodeMember, nodePool } from '../../support/node-world.ts';
import { inputOf, later } from '../guard/nodes/judged.ts';

const start = Date.parse('2026-11-20T10:00:00Z');
const hourMs = 3_600_000;
const zones = ['eu-1a', 'eu-1b'] as const;
const types = [
  { name: 'D2', cpu: 2, price: 0.1, zones },
  { name: 'D4', cpu: 4, price: 0.19, zones },
  { name: 'D8', cpu: 8, price: 0.4, zones },
];

const reason = fc.constantFrom('Drifted', 'Empty', 'Underutilized', 'Expired');
const fleetBudget = fc.record(
  {
    limit: fc.constantFrom({ nodes: '1' }, { nodes: '2' }, { nodes: '50%' }, { clusters: '1' }),
    reasons: fc.uniqueArray(reason, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['limit'] },
);
const nodeDisruption = fc.record({
  budgets: fc.array(fleetBudget, { maxLength: 2 }).map((all) => all.map(({ limit, ...of }) => ({ ...of, ...limit }))),
  waves: fc.constantFrom([], [], [{ matchLabels: { env: 'a' } }, { matchLabels: { env: 'b' } }]),
});

const onePool = fc.record({
  budget: fc.constantFrom('100%', '100%', '1', '2', '50%'),
  consolidateAfter: fc.constantFrom('0s', '0s', '30s', '5m'),
  policy: fc.constantFrom('WhenEmptyOrUnderutilized', 'WhenEmptyOrUnderutilized', 'WhenEmpty', 'Balanced'),
  expires: fc.constantFrom('never', 'never', 'by force', 'gracefully'),
  hasDeadline: fc.nat(4).map((n) => n === 0),
});
const oneNode = fc.record({
  pool: fc.nat(1),
  type: fc.nat(2),
  zone: fc.nat(1),
  isDrifted: fc.nat(3).map((n) => n === 0),
  age: fc.constantFrom(1, 20, 25),
});
const onePod = fc.record({
  node: fc.nat(5),
  cpu: fc.constantFrom(0.25, 0.5, 1, 1.5, 3),
  kind: fc.constantFrom<LivingPod['kind'][]>(
    ...(['plain', 'plain', 'plain', 'protected', 'briefly', 'budgeted', 'apart', 'zoned'] as const),
  ),
});
const cluster = fc.record({
  env: fc.constantFrom('a', 'b', 'x'),
  pools: fc.array(onePool, { minLength: 1, maxLength: 2 }),
  nodes: fc.array(oneNode, { minLength: 1, maxLength: 6 }),
  pods: fc.array(onePod, { maxLength: 10 }),
  canLaunch: fc.nat(6).map((n) => n > 0),
});
const event = fc.record({
  kind: fc.constantFrom(
    ...(['none', 'none', 'none', 'pod', 'end', 'readiness', 'drift', 'delete', 'protect', 'budget'] as const),
  ),
  cluster: fc.nat(1),
  at: fc.nat(9),
});
const step = fc.record({
  event,
  seconds: fc.constantFrom(5, 15, 30, 60, 120, 600),
  fate: fc.constantFrom<('up' | 'failed' | 'lost')[]>('up', 'up', 'up', 'up', 'failed', 'lost'),
});
const chain = fc.record({
  nodeDisruption,
  clusters: fc.array(cluster, { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { maxLength: 16 }),
});
type Chain = typeof chain extends fc.Arbitrary<infer T> ? T : never;

function livingNodes({ pools, nodes, pods, canLaunch }: Chain['clusters'][number], name: string): LivingNodes {
  const made = nodes.map(({ pool, type, zone, isDrifted, age }, at): LivingNode => {
    const { name: of, cpu } = types[type]!;
    const own = { name: `${name}-n${at}`, pool: `p${pool % pools.length}`, type: of, cpu, zone: zones[zone]! };
    const createdAt = start - age * hourMs;
    return {
      ...own,
      ...{ createdAt, upAt: createdAt, isDrifted, isReady: true, isTainted: false },
      ...{ deletedAt: undefined, podEvent: undefined },
    };
  });
  const used = made.map(() => 0);
  const placed = pods.flatMap(({ node, cpu, kind }, at): LivingPod[] => {
    const on = node % made.length;
    if (used[on]! + cpu > made[on]!.cpu) return [];
    used[on]! += cpu;
    return [{ name: `p${at}`, node: made[on]!.name, cpu, kind, zone: made[on]!.zone, startedAt: start - 60_000 }];
  });
  const written = pools.map(({ budget, consolidateAfter, policy, expires, hasDeadline }, at) =>
    nodePool(`p${at}`, {
      disruption: {
        ...{ consolidateAfter, consolidationPolicy: policy, budgets: [{ nodes: budget }] },
        ...(expires === 'gracefully' ? { expireAfter: '24h' } : {}),
      },
      template: {
        ...(expires === 'by force' ? { expireAfter: '24h' } : {}),
        ...(expires === 'gracefully' ? { expireAfter: undefined } : {}),
        ...(hasDeadline ? { terminationGracePeriod: '1h' } : {}),
      },
    }),
  );
  const plain = JSON.parse(JSON.stringify(written)) as typeof written;
  return new LivingNodes({ name, nodes: made, pods: placed, pools: plain, types, canLaunch });
}

/** Something happens that no plan asked for. */
function disturb(of: LivingNodes, { kind, at }: Chain['steps'][number]['event'], now: number): void {
  const one = of.nodes[at % Math.max(1, of.nodes.length)];
  const own = of.pods[at % Math.max(1, of.pods.length)];
  if (kind === 'pod')
    of.pods.push({
      ...{ name: `new-${now}`, node: undefined, cpu: [0.5, 1, 3][at % 3]!, kind: 'plain' },
      ...{ zone: zones[0], startedAt: now },
    });
  if (kind === 'end' && own) of.pods.splice(of.pods.indexOf(own), 1);
  if (kind === 'readiness' && one) one.isReady = !one.isReady;
  if (kind === 'drift' && one) one.isDrifted = true;
  if (kind === 'delete' && one) one.deletedAt ??= now;
  if (kind === 'protect' && own) own.kind = own.kind === 'protected' ? 'plain' : 'protected';
  if (kind === 'budget') of.isClosed = !of.isClosed;
}

const isUnderWay = ({ phase }: NodeCommand): boolean => phase !== 'Proposed';
const lines = ({ nodes }: Plan, isMeant: (command: NodeCommand) => boolean): readonly string[] =>
  nodes.flatMap(({ clusterName, commands }) =>
    commands.filter(isMeant).map(({ method, phase, nodes: own, replacements }) => {
      const names = (of: readonly { readonly name: string }[]) => of.map(({ name }) => name).join();
      return `${clusterName}: ${method} ${phase} ${names(own)} -> ${names(replacements)}`;
    }),
  );

/** What commands that begin keep to, by the numbers that were drawn. */
function expectWithinLimits(
  { pools }: Chain['clusters'][number],
  of: LivingNodes,
  begun: NodeCommand[],
  going: Set<string>,
  now: number,
) {
  for (const { reason: why, nodes } of begun) {
    const { budget, hasDeadline, expires } = pools[Number(nodes[0]!.pool.slice(1))]!;
    if (why === 'Expired' && expires !== 'gracefully') continue;
    for (const { pool } of nodes) {
      const own = of.nodes.filter((one) => one.pool === pool && one.upAt <= now);
      const disrupted = own.filter((one) => !one.isReady || one.deletedAt !== undefined || going.has(one.name));
      const most = budgetOf(pools[Number(pool.slice(1))]!.budget, own.length);
      expect(disrupted.length, `budget of ${pool}: ${budget}`).toBeLessThanOrEqual(most);
    }
    if (why === 'Drifted' && hasDeadline) continue;
    expect(nodes.flatMap(({ name }) => of.podsOn(name)).filter((one) => isProtected(one, of, now))).toEqual([]);
  }
}

const budgetOf = (text: string, nodes: number): number =>
  text.endsWith('%') ? Math.ceil((Number.parseInt(text, 10) * nodes) / 100) : Number(text);

/** A fleet as a daemon with an actor keeps it, one plan after the other. */
async function fleetOf({ nodeDisruption: limits, clusters }: Chain) {
  const config = { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'FleetConfig', metadata: { name: 'fleet' } };
  const members = clusters.map(({ env }, at) => [`members/c${at}.yaml`, nodeMember(`c${at}`, 'execute', { env })]);
  const living = clusters.map((of, at) => livingNodes(of, `c${at}`));
  let input: PlanInput = await inputOf(
    {
      ...Object.fromEntries(members),
      ...market(types),
      'fleet.yaml': JSON.stringify({ ...config, spec: { nodeDisruption: limits } }),
    },
    [],
  );
  const now = (): number => Date.parse(input.now);
  function next(): Plan {
    const { plan } = planFleet({ ...input, observations: new Map(living.map((of) => [of.name, of.observed(now())])) });
    expect(plan.guard).toEqual([]);
    plan.nodes.forEach(({ clusterName, commands }, at) => {
      const before = input.record.nodes.get(clusterName)?.commands ?? [];
      const hasBegun = ({ id, since }: NodeCommand): boolean =>
        before.some((one) => one.id === id && (one.phase === 'Launching' || one.since === since));
      const underWay = commands.filter(isUnderWay);
      const begun = underWay.filter((one) => one.since === input.now && !hasBegun(one));
      const going = new Set(underWay.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
      expectWithinLimits(clusters[at]!, living[at]!, begun, going, now());
    });
    input = later(input, plan, 0);
    return plan;
  }
  return {
    living,
    now,
    /** What the same world is planned to be: plans that follow at once change nothing of it. */
    planned(): Plan {
      const [first, second, third] = [next(), next(), next()];
      // What begins may let more begin, which the first plan held.
      expect(lines(second, isUnderWay)).toEqual(expect.arrayContaining([...lines(first, isUnderWay)]));
      expect(lines(third, isUnderWay)).toEqual(lines(second, isUnderWay));
      return third;
    },
    /** Only time passes: no actor does anything. */
    wait(plan: Plan, seconds: number): void {
      input = later(input, plan, seconds);
    },
    pass(plan: Plan, seconds: number, fate: Chain['steps'][number]['fate']): void {
      for (const { clusterName, nodes } of nodesTargets(plan.targets))
        living.find(({ name }) => name === clusterName)!.follow(nodes, now(), fate);
      input = later(input, plan, seconds);
      for (const [at, of] of living.entries()) of.pass(plan.nodes[at]!.commands, now());
    },
  };
}

it(
  'whatever happens, plans keep to limits, stay as they are while nothing does, and come to rest',
  async () => {
    await fc.assert(
      fc.asyncProperty(chain, async (given) => {
        const { living, now, planned, pass } = await fleetOf(given);
        for (const { event: what, seconds, fate } of given.steps) {
          pass(planned(), seconds, fate);
          disturb(living[what.cluster % living.length]!, what, now());
        }
        for (const { nodes } of living) for (const one of nodes) one.isReady = true;
        const most = 10 * living.flatMap(({ nodes }) => nodes).length;
        const begun: string[] = [];
        for (let calm = 0; calm < 3; ) {
          const plan = planned();
          begun.push(...lines(plan, (one) => isUnderWay(one) && Date.parse(one.since!) === now()));
          calm = lines(plan, isUnderWay).length === 0 ? calm + 1 : 0;
          const again = [...Map.groupBy(begun, (one) => one)].filter(([, times]) => times.length > 2);
          expect(again.map(([one]) => one)).toEqual([]);
          expect(begun.length).toBeLessThanOrEqual(most);
          pass(plan, calm > 0 ? 1200 : 15, 'up');
        }
      }),
      drawn(25, 6),
    );
  },
  patience(20_000),
);

it(
  'while nothing happens, all that is in validation goes on after it',
  async () => {
    await fc.assert(
      fc.asyncProperty(chain, async ({ nodeDisruption: { budgets, ...limits }, ...given }) => {
        // What begins elsewhere for another reason may use up a fleet budget meanwhile.
        const nodeDisruption = { ...limits, budgets: budgets.filter(({ reasons }) => reasons === undefined) };
        const { planned, wait } = await fleetOf({ ...given, nodeDisruption });
        const first = planned();
        wait(first, 15);
        const waited = lines(first, ({ phase }) => phase === 'Validating');
        const gone = lines(planned(), ({ phase }) => phase === 'Removing' || phase === 'Launching');
        const nodesOf = (text: string): string =>
          text.replace(/ (Validating|Removing|Launching)/, '').replace(/-> .+/, '->');
        expect(gone.map(nodesOf)).toEqual(expect.arrayContaining(waited.map(nodesOf)));
      }),
      drawn(60, 20),
    );
  },
  patience(20_000),
);
