import { describe, expect, it } from 'vitest';
import type { PlanInput } from '../../../../src/engine/input.ts';
import { planFleet } from '../../../../src/engine/plan.ts';
import type { NodesTarget, Plan, PlannedUpgradeRun } from '../../../../src/engine/plan-document.ts';
import { nodesTargets } from '../../../../src/engine/target-kinds.ts';
import { claim, node, nodeMember, nodePool, observedNodes, smallMarket } from '../../../support/node-world.ts';
import { inputOf, later, rulesOf } from './judged.ts';

const members = { 'dev-1': { env: 'dev' }, 'prod-1': { env: 'prod' }, 'prod-2': { env: 'prod' } };
const all = Object.keys(members);

const filesOf = (config: object = {}, mode = 'execute') => ({
  ...Object.fromEntries(
    Object.entries(members).map(([name, labels]) => [`members/${name}.yaml`, nodeMember(name, mode, labels)]),
  ),
  ...smallMarket,
  'fleet.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    metadata: { name: 'fleet' },
    spec: config,
  }),
});

const drifted = {
  conditions: ['Initialized', 'Drifted'].map((type) => ({
    type,
    status: 'True',
    reason: type,
    lastTransitionTime: '2026-11-20T08:00:00Z',
  })),
};

interface Cluster {
  readonly drifted?: readonly string[];
  readonly disruption?: object;
  readonly expireAfter?: string;
  readonly launches?: readonly object[];
  /** Nodes of the first member besides its two. */
  readonly more?: number;
}

/** Two empty nodes on each member; on some of them one is drifted. */
const observed = ({ drifted: of = [], disruption = {}, expireAfter = 'Never', more: others = 0, ...more }: Cluster) =>
  all.map((name) => {
    const nodes = [node(`${name}-a`), node(`${name}-b`)];
    if (name === all[0]) nodes.push(...Array.from({ length: others }, (_, at) => node(`${name}-${at}`)));
    const pool = nodePool('default', {
      disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }], ...disruption },
      template: { expireAfter },
    });
    const claims = nodes.map((one, at) =>
      claim(one, {
        spec: { expireAfter },
        ...(at === 0 && of.includes(name) ? { status: { ...drifted, nodeName: one.metadata.name } } : {}),
      }),
    );
    return observedNodes(name, { nodes, pods: [], extras: [pool, ...claims], ...more });
  });

/** Rules that a plan of a fleet without limits breaks in the same fleet with these. */
async function judged(cluster: Cluster, config: object): Promise<string[]> {
  const { plan } = planFleet(await inputOf(filesOf(), observed(cluster)));
  return rulesOf(plan, await inputOf(filesOf(config), observed(cluster)));
}

const always = { schedule: '* * * * *', duration: '1h' };
const freeze = { freeze: [{ name: 'holidays', ...always }] };
const budgets = (...list: object[]) => ({ nodeDisruption: { budgets: list } });
const prod = { clusterSelector: { matchLabels: { env: 'prod' } } };
const waves = { nodeDisruption: { waves: [{ matchLabels: { env: 'dev' } }, { matchLabels: { env: 'prod' } }] } };
const expired = { expireAfter: '1h' };
const empty = { disruption: { consolidateAfter: '0s' } };

describe('commands that start on all three clusters', () => {
  const onAll = { drifted: all };

  it.each<[string, string[], object, Cluster]>([
    ['without limits', [], {}, onAll],
    ['in a freeze', ['frozen', 'frozen', 'frozen'], freeze, onAll],
    ['in a freeze, when they are expired by force', [], freeze, expired],
    ['in a freeze that is over', [], { freeze: [{ name: 'over', schedule: '0 3 * * *', duration: '1h' }] }, onAll],
    ['where two clusters may', ['FleetNodeBudgetExceeded'], budgets({ clusters: '2' }), onAll],
    ['where two thirds of the clusters may', ['FleetNodeBudgetExceeded'], budgets({ clusters: '66%' }), onAll],
    ['where three clusters may', [], budgets({ clusters: '3' }), onAll],
    ['where two nodes may', ['FleetNodeBudgetExceeded'], budgets({ nodes: '2' }), onAll],
    ['where half of six nodes may', [], budgets({ nodes: '50%' }), onAll],
    [
      'where a tenth of 34 nodes may, 32 of which are of one cluster',
      ['FleetNodeBudgetExceeded'],
      budgets({ nodes: '10%' }),
      { drifted: ['prod-1', 'prod-2'], more: 28 },
    ],
    ['where one production node may', ['FleetNodeBudgetExceeded'], budgets({ nodes: '1', ...prod }), onAll],
    ['where two production nodes may', [], budgets({ nodes: '2', ...prod }), onAll],
    ['where no empty one may', [], budgets({ nodes: '0', reasons: ['Empty'] }), onAll],
    ['where no drifted one may', ['FleetNodeBudgetExceeded'], budgets({ nodes: '0', reasons: ['Drifted'] }), onAll],
    ['in the window of a budget', ['FleetNodeBudgetExceeded'], budgets({ nodes: '0', ...always }), onAll],
    // It is 10:00 UTC, and 11:00 in Berlin.
    [
      'in its window of another time zone',
      ['FleetNodeBudgetExceeded'],
      budgets({ nodes: '0', schedule: '0 11 * * *', duration: '30m', timeZone: 'Europe/Berlin' }),
      onAll,
    ],
    [
      'outside that window',
      [],
      budgets({ nodes: '0', schedule: '0 10 * * *', duration: '30m', timeZone: 'Europe/Berlin' }),
      onAll,
    ],
    ['where expired ones are limited too, but go by force', [], budgets({ nodes: '0' }), expired],
    ['where empty ones are limited', ['FleetNodeBudgetExceeded'], budgets({ nodes: '5' }), empty],
    ['before their wave', ['NodeWaveTooEarly', 'NodeWaveTooEarly'], waves, onAll],
    ['in waves, when they are only empty', [], waves, empty],
  ])('%s are judged %j', async (_, rules, config, cluster) => {
    expect(await judged(cluster, config)).toEqual(rules);
  });

  it('with a budget that cannot be read are judged to exceed it', async () => {
    const { plan } = planFleet(await inputOf(filesOf(), observed(onAll)));
    const input = await inputOf(filesOf(), observed(onAll));
    const config = { ...input.fleet.config!, spec: budgets({ nodes: '100%', schedule: 'never', duration: '1h' }) };
    expect(rulesOf(plan, { ...input, fleet: { ...input.fleet, config } })).toEqual(['FleetNodeBudgetExceeded']);
  });

  it.each([
    ['is not observed', (_: string) => []],
    ['has a node on its way out', (text: string) => [text.replace('"Initialized"', '"DisruptionReason"')]],
  ])('before a wave in which a cluster %s are judged', async (_, change) => {
    const [dev, ...prods] = observed({ drifted: ['prod-1', 'prod-2'] });
    const { plan } = planFleet(await inputOf(filesOf(), [...change(dev!), ...prods]));
    expect(rulesOf(plan, await inputOf(filesOf(waves), [dev!, ...prods]))).toEqual([]);
    const wrong = rulesOf(plan, await inputOf(filesOf(waves), [...change(dev!), ...prods]));
    expect(wrong).toEqual(['NodeWaveTooEarly', 'NodeWaveTooEarly']);
  });

  it('while one that is not observed has a command under way are judged', async () => {
    const [, ...prods] = observed({ drifted: all });
    const first = await inputOf(filesOf(), observed({ drifted: ['dev-1'] }));
    const begun = planFleet(first).plan;
    const later_ = async (files: Readonly<Record<string, string>>) => later(await inputOf(files, prods), begun, 5);
    const { plan } = planFleet(await later_(filesOf()));
    expect(rulesOf(plan, await later_(filesOf(budgets({ clusters: '3' }))))).toEqual([]);
    expect(rulesOf(plan, await later_(filesOf(budgets({ clusters: '2' }))))).toEqual(['FleetNodeBudgetExceeded']);
  });

  it('on a cluster that a run upgrades are judged', async () => {
    const input = await inputOf(filesOf(), observed(onAll));
    const member = { name: 'prod-1', status: { state: 'Running' }, operationId: 'k8s.prod-1' };
    const status = { stages: [{ name: 's', groups: [{ name: 'g', members: [member] }] }] };
    const upgrades = [{ kind: 'UpdateRun', name: 'k8s', status } as unknown as PlannedUpgradeRun];
    expect(rulesOf({ ...planFleet(input).plan, upgrades }, input)).toEqual(['UpgradingClusterDisrupted']);
  });
});

describe('a cluster with a node on its way out that no budget of a pool counts', () => {
  const deleted = { metadata: { deletionTimestamp: '2026-11-20T09:59:00Z' } };
  const disrupted = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }];
  const withClaims =
    (of: Parameters<typeof claim>[1], to: Parameters<typeof node>[1] = {}) =>
    (name: string): readonly [ReturnType<typeof node>, object[]] => {
      const made = node(name, to);
      return [made, [claim(made, of)]];
    };
  const terminating = { conditions: [{ type: 'InstanceTerminating', status: 'True' }] };

  it.each<[string, ReturnType<typeof withClaims>]>([
    ['terminates', (name) => withClaims({ ...deleted, status: { nodeName: name, ...terminating } })(name)],
    ['is not initialized', withClaims(deleted, { initialized: false })],
    ['expired, of an unknown pool', withClaims({ spec: { expireAfter: '1h' } }, { pool: 'gone' })],
    [
      'is not ready, without NodeClaims',
      (name) => [node(name, { ready: false, initialized: false, taints: disrupted }), []],
    ],
  ])('has it under way: %s', async (_, leaving) => {
    const pool = nodePool('default', { disruption: { consolidateAfter: '0s' } });
    const [out, claims] = leaving('out');
    const empty = node('empty');
    const own = claims.length === 0 ? [] : [claim(empty)];
    const [deleting, ofDeleting] = withClaims(deleted)('deleting');
    const seen = [
      observedNodes('dev-1', { nodes: [out, empty], pods: [], extras: [pool, ...claims, ...own] }),
      observedNodes('prod-1', { nodes: [deleting], pods: [], extras: [pool, ...ofDeleting] }),
    ];
    const input = await inputOf(filesOf(budgets({ clusters: '1' })), seen);
    const { plan } = planFleet(input);
    expect(plan.nodes[0]!.commands).toContainEqual(expect.objectContaining({ reason: 'Empty', phase: 'Validating' }));
    expect(plan.guard).toEqual([]);
  });
});

describe('commands that started before', () => {
  it('are not judged again, and count for those that start', async () => {
    const first = await inputOf(filesOf(), observed({ drifted: ['dev-1'] }));
    const { plan } = planFleet(first);
    const second = later(await inputOf(filesOf(), observed({ drifted: ['dev-1'] })), plan, 5);
    const strict = async (config: object) => ({ ...second, fleet: (await inputOf(filesOf(config), [])).fleet });
    expect(rulesOf(planFleet(second).plan, await strict({ ...freeze, ...budgets({ nodes: '0' }) }))).toEqual([]);
    const all_ = later(await inputOf(filesOf(), observed({ drifted: all })), plan, 5);
    const judgedBy = async (config: object) =>
      rulesOf(planFleet(all_).plan, { ...all_, fleet: (await inputOf(filesOf(config), [])).fleet });
    expect(await judgedBy(budgets({ clusters: '2' }))).toEqual(['FleetNodeBudgetExceeded']);
    expect(await judgedBy(budgets({ clusters: '3' }))).toEqual([]);
    expect(await judgedBy(budgets({ nodes: '2' }))).toEqual(['FleetNodeBudgetExceeded']);
    expect(await judgedBy(budgets({ nodes: '3' }))).toEqual([]);
    expect(await judgedBy(waves)).toEqual(['NodeWaveTooEarly', 'NodeWaveTooEarly']);
  });

  it('are judged where they were dropped and begin again', async () => {
    const earlier = { ...(await inputOf(filesOf(), observed(empty))), now: '2026-11-20T09:59:40Z' };
    const dropped = later(earlier, planFleet(earlier).plan, 20);
    const { plan } = planFleet({ ...dropped, record: earlier.record });
    const byBudget = async (config: object) =>
      rulesOf(plan, { ...dropped, fleet: (await inputOf(filesOf(config), [])).fleet });
    expect(await byBudget(budgets({ nodes: '6' }))).toEqual([]);
    expect(await byBudget(budgets({ nodes: '5' }))).toEqual(['FleetNodeBudgetExceeded']);
  });

  it('are judged when their validation ends in a freeze', async () => {
    const input = await inputOf(filesOf(), observed(empty));
    const { plan } = planFleet(input);
    const ended = later(input, plan, 15);
    const next = planFleet(ended).plan;
    expect(next.nodes.flatMap(({ commands }) => commands.map(({ phase }) => phase))).toContain('Removing');
    const { fleet } = await inputOf(filesOf(freeze), []);
    expect(rulesOf(next, { ...ended, fleet })).toEqual(['frozen', 'frozen', 'frozen']);
    expect(rulesOf(planFleet(later(input, plan, 5)).plan, { ...later(input, plan, 5), fleet })).toEqual([]);
  });
});

describe('a target of nodes', () => {
  const launched = { drifted: ['dev-1'], disruption: { budgets: [{ nodes: '100%' }] }, launches: [] };
  const changed = (plan: Plan, change: (nodes: NodesTarget['nodes']) => NodesTarget['nodes']): Plan => ({
    ...plan,
    targets: nodesTargets(plan.targets).map((target) =>
      target.clusterName === 'dev-1' ? { ...target, nodes: change(target.nodes) } : target,
    ),
  });

  it.each<[string, string[], (nodes: NodesTarget['nodes']) => NodesTarget['nodes']]>([
    ['as planned', [], (nodes) => nodes],
    [
      'with a node that no command takes',
      ['NodeWithoutCommand'],
      (it) => ({ ...it, nodes: it.nodes.map((one) => ({ ...one, name: 'dev-1-b' })) }),
    ],
    [
      'with another command',
      ['NodeWithoutCommand'],
      (it) => ({ ...it, nodes: it.nodes.map((one) => ({ ...one, command: 'x' })) }),
    ],
    [
      'that taints what is to be removed',
      ['NodeWithoutCommand'],
      (it) => ({ ...it, nodes: it.nodes.map((one) => ({ ...one, want: 'Tainted' })) }),
    ],
    [
      'that launches what nothing replaces',
      ['NodeWithoutCommand'],
      (it) => ({
        ...it,
        launches: [
          {
            name: 'n',
            pool: 'default',
            instanceType: 'D2',
            zone: 'eu-1a',
            capacityType: 'on-demand',
            options: [],
            command: it.nodes[0]!.command,
          },
        ],
      }),
    ],
  ])('%s is judged %j', async (_, rules, change) => {
    const input: PlanInput = await inputOf(filesOf(), observed(launched));
    const { plan } = planFleet(input);
    expect(nodesTargets(plan.targets)[0]!.nodes.nodes).toMatchObject([{ name: 'dev-1-a', want: 'Gone' }]);
    expect(rulesOf(changed(plan, change), input)).toEqual(rules);
  });

  it('of a member that is not in mode execute is judged', async () => {
    const { plan } = planFleet(await inputOf(filesOf(), observed(launched)));
    expect(rulesOf(plan, await inputOf(filesOf({}, 'plan'), observed(launched)))).toEqual(['NodeWithoutCommand']);
  });
});
