import { describe, expect, it } from 'vitest';
import { folder } from '../../support/folders.ts';
import { node, nodeMember, observedNodes } from '../../support/node-world.ts';
import { plan } from '../../support/plan-command.ts';
import { cli } from '../../support/run-cli.ts';

const repo = {
  'members/eu-1.yaml': nodeMember('eu-1', 'plan'),
  'resources/pool.yaml': `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: {group: karpenter.azure.com, kind: AKSNodeClass, name: default}
      expireAfter: Never
  disruption:
    budgets:
    - nodes: "50%"
      schedule: 0 0 * * 6
      duration: 48h
    - nodes: "0"
`,
  'placements/pools.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: pools}
spec:
  resourceSelectors: [{group: karpenter.sh, version: v1, kind: NodePool, name: default}]
  policy: {placementType: PickAll}
`,
};

describe('warnings of a NodePool', () => {
  it('name the line of the field in a plan', async () => {
    const { plan: whole } = await plan({ repo });
    expect(whole.problems).toMatchObject([
      {
        rule: 'NodeBudgetBlocksForever',
        file: 'resources/pool.yaml',
        line: 12,
        column: 5,
        // Without the instant of the plan: the status branch holds the text.
        message: expect.stringContaining('no node may be disrupted from now on, for ever'),
        spans: [{ from: '2026-11-20T10:00:00Z' }],
      },
    ]);
  });

  it('are listed by validate', async () => {
    const { out, err, code } = await cli('validate', folder(repo));
    expect(`${out}${err}`).toContain('resources/pool.yaml:12:5: warning[node-disruption]');
    expect(code).toBe(0);
  });
});

it('expiry as in v1beta1 is forceful only where Karpenter acts', async () => {
  const old = repo['resources/pool.yaml']
    .replace('      expireAfter: Never\n', '')
    .replace('disruption:', 'disruption:\n    expireAfter: 24h');
  const files = { ...repo, 'members/eu-1.yaml': nodeMember('eu-1', 'delegate'), 'resources/pool.yaml': old };
  const { problems } = (await plan({ repo: files })).plan;
  expect(problems.map(({ message }) => message)).toContain(
    'NodePool default: where Karpenter acts (mode delegate) nodes expire at their age, whatever budgets, PodDisruptionBudgets and do-not-disrupt say, and without a replacement first',
  );
});

describe('budgets', () => {
  it('has a line of hours for each day, each with the fewest nodes of the hour', async () => {
    const files = {
      ...repo,
      'resources/pool.yaml': repo['resources/pool.yaml']
        .replace('- nodes: "0"\n', '- nodes: "5"\n')
        .replace('0 0 * * 6', '"@daily"')
        .replace('48h', '10m')
        .replace('50%', '0'),
    };
    const now = ['--now', '2026-11-20T10:30:00Z', '--recorded', 'none'];
    const { out, err } = await cli('budgets', 'eu-1', '--repo', folder(files), ...now);
    expect(out.split('\n').slice(0, 4)).toEqual([
      'default: 0 nodes, 0 disrupting',
      'UTC         0     6     12    18      nodes that may go in each hour, for the reason that allows least (+ more than 9, ∞ unbounded)',
      '2026-11-20            55555555555555',
      '2026-11-21  05555555555',
    ]);
    expect(err).toContain('nodes of eu-1 were not observed');
  });

  it('--next shows every change, however many there are', async () => {
    const hourly = repo['resources/pool.yaml']
      .replace('0 0 * * 6', '0 * * * *')
      .replace('48h', '30m')
      .replace('    - nodes: "0"\n', '');
    const flags = ['--now', '2026-11-20T10:00:00Z', '--recorded', 'none', '-o', 'json'];
    const { out } = await cli(
      'budgets',
      'eu-1',
      '--repo',
      folder({ ...repo, 'resources/pool.yaml': hourly }),
      '--next',
      '60d',
      ...flags,
    );
    const [{ spans }] = JSON.parse(out).pools;
    expect(spans).toHaveLength(2 * 24 * 60);
    expect(spans.at(-1)).toMatchObject({ from: '2027-01-19T09:30:00Z', to: '2027-01-19T10:00:00Z' });
  });
});

it('a provider that removes no machines is an error at the annotation of the mode', async () => {
  const member = `apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata:
  name: eu-1
  annotations:
    gitfleet.dev/upgrade-provider: aks
    gitfleet.dev/node-disruption: execute
spec: {}
`;
  const observed = [observedNodes('eu-1', { nodes: [node('n1')], pods: [] })];
  const { plan: whole } = await plan({ repo: { ...repo, 'members/eu-1.yaml': member }, observed });
  const [found] = whole.problems.filter(({ code }) => code === 'invalid-value');
  expect(found).toMatchObject({
    file: 'members/eu-1.yaml',
    line: 7,
    column: 5,
    fix: 'write plan, or delegate where Karpenter runs',
  });
});
