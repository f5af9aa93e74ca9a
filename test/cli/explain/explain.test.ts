import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folder, put, removeFolders } from '../../support/folders.ts';
import { member } from '../../support/plan-command.ts';
import { cli, type Ran } from '../../support/run-cli.ts';
import { place, shop } from '../../support/shop.ts';

const cpu = (available: string) => ({ resourceUsage: { available: { cpu: available } } });

let repo: string;
beforeAll(() => {
  repo = folder();
  put(repo, {
    ...shop,
    'clusters/eu-2.yaml': member('eu-2', { labels: { env: 'prod', region: 'eu' }, status: cpu('16') }),
    'clusters/eu-3.yaml': member('eu-3', { labels: { env: 'prod', region: 'eu' }, status: cpu('4') }),
    'clusters/gpu-1.yaml': member('gpu-1', {
      labels: { env: 'prod', region: 'us' },
      status: cpu('lots'),
      taints: [{ key: 'gpu', effect: 'NoSchedule' }],
    }),
    'placements/cache.yaml': place('cache', {
      policy: {
        placementType: 'PickN',
        numberOfClusters: 1,
        affinity: {
          clusterAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              clusterSelectorTerms: [{ labelSelector: { matchLabels: { env: 'prod' } } }],
            },
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 50,
                preference: {
                  propertySorter: { name: 'resources.kubernetes-fleet.io/available-cpu', sortOrder: 'Descending' },
                },
              },
            ],
          },
        },
        topologySpreadConstraints: [{ topologyKey: 'region', whenUnsatisfiable: 'ScheduleAnyway' }],
      },
    }),
  });
});
afterAll(removeFolders);

const notKnown =
  '    ClusterEligibility is not known: this command does not observe clusters; without --observed it is assumed to be reachable\n';
const explain = (...args: readonly string[]): Promise<Ran> =>
  cli('explain', ...args, '--repo', repo, '--now', '2026-11-20T10:00:00Z');

describe('gitfleet explain placement', () => {
  it('shows why a cluster was picked, and what each term of its score is made of', async () => {
    expect(await explain('placement', 'cache', '--cluster', 'eu-2')).toEqual({
      code: 0,
      err: '',
      out: `✓ eu-2  picked by scheduling policy: cluster "eu-2" (affinity score: 50, topology spread score: -1)
    binding: Bound
    passes ClusterAffinity, NamespaceAffinity, TaintToleration, TopologySpreadConstraints
    ClusterEligibility is not known: this command does not observe clusters; without --observed it is assumed to be reachable
    would score now: affinity 50, topology spread -1000
       +50  weight 50, labels match, resources.kubernetes-fleet.io/available-cpu descending: 16 between 4 and 16
      -1000  spread over region (ScheduleAnyway, maxSkew 1): 1 in eu, 0 to 1 elsewhere, one more changes the skew by 1, which violates it
`,
    });
  });

  it('shows the bounds of a property without the error of floating-point numbers', async () => {
    const other = folder();
    put(other, {
      ...shop,
      'clusters/eu-2.yaml': member('eu-2', { labels: { env: 'prod' }, status: cpu('24') }),
      'clusters/eu-3.yaml': member('eu-3', { labels: { env: 'prod' }, status: cpu('1900m') }),
      'placements/cache.yaml': readFileSync(join(repo, 'placements/cache.yaml'), 'utf8'),
    });
    const explained = async (cluster: string) =>
      (await cli('explain', 'cache', '--repo', other, '--cluster', cluster)).out;
    expect(await explained('eu-2')).toContain('available-cpu descending: 24 between 1.9 and 24\n');
    expect(await explained('eu-3')).toContain('available-cpu descending: 1.9 between 1.9 and 24\n');
  });

  it('shows why another was not: every filter, every reason', async () => {
    const { out } = await explain('placement', 'cache', '--cluster', 'gpu-1');
    expect(out).toContain(
      `✗ gpu-1  ClusterUnschedulable, property "resources.kubernetes-fleet.io/available-cpu" has the value "lots", which is not a quantity; taint gpu:NoSchedule is not tolerated
    fails ClusterAffinity
    fails TaintToleration
`,
    );
  });

  it('explains why one of several clusters with the same score was not picked', async () => {
    const equal = folder();
    put(equal, {
      ...shop,
      'placements/any.yaml': place('any', { policy: { placementType: 'PickN', numberOfClusters: 2 } }),
    });
    const { out } = await cli('explain', 'any', '--repo', equal, '--now', '2026-11-20T10:00:00Z');
    expect(out.match(/^[✓✗] \S+|same score as .*/gm)).toEqual([
      '✗ dev-1',
      'same score as us-1, eu-1: of equal clusters the one with the last name in the alphabet is picked first',
      '✓ eu-1',
      '✓ us-1',
    ]);
  });

  it('shows no score of a cluster that fails a filter, and no reason twice', async () => {
    const { out } = await explain('placement', 'cache', '--cluster', 'dev-1');
    expect(out).not.toContain('would score now');
    expect(out.split('cluster does not match any of the required')).toHaveLength(2);
  });

  it('reports once what is assumed of every cluster', async () => {
    const { out } = await explain('placement', 'cache');
    expect(out.split('ClusterEligibility is not known')).toHaveLength(2);
    expect(out).toMatch(
      /\nevery cluster: ClusterEligibility is not known: this command does not observe clusters; .*\n$/,
    );
  });

  it('shows which requirement a cluster does not meet, and what it has instead', async () => {
    const { out } = await explain('placement', 'cache', '--cluster', 'dev-1');
    expect(out).toContain(`
    fails ClusterAffinity
      requires label env = prod: it is dev
`);
  });

  describe('shows the eligibility of a cluster:', () => {
    const silent = `apiVersion: gitfleet.dev/v1alpha1
kind: FleetSummary
unreachable: {eu-1: connection refused, eu-2: timed out}
lastContact: {eu-1: 2026-11-19T10:00:00Z}
`;
    const observation = (more: object) =>
      JSON.stringify({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'ClusterObservation',
        metadata: { name: 'eu-1' },
        observedAt: '2026-11-20T09:00:00Z',
        ...more,
      });
    const agent = (heartbeat: string) => ({
      agentStatus: [
        {
          type: 'MemberAgent',
          conditions: ['Joined', 'Healthy'].map((type) => ({ type, status: 'True', reason: 'Up' })),
          lastReceivedHeartbeat: heartbeat,
        },
      ],
    });
    const assumed = (reason: string) => ({
      plugin: 'ClusterEligibility',
      passed: true,
      assumed: true,
      reason: `${reason}; without --observed it is assumed to be reachable`,
    });
    const passes = { plugin: 'ClusterEligibility', passed: true };
    const stale = {
      plugin: 'ClusterEligibility',
      passed: false,
      reason: 'cluster is not connected to the fleet: no heartbeat since 2026-11-20T09:00:00Z',
    };
    it.each<[string, Parameters<typeof verdictOn>[0], object]>([
      ['that it was not observed', {}, assumed('this command does not observe clusters')],
      [
        'that it was not observed, and since when it does not respond, by the status branch',
        { 'recorded/summary.yaml': silent },
        assumed('the status branch reports that it does not respond since 2026-11-19T10:00:00Z: connection refused'),
      ],
      ['what was observed', { 'observed/eu-1.json': observation({ observedAt: '2026-11-20T09:59:00Z' }) }, passes],
      [
        'the observation, not the status branch',
        { 'observed/eu-1.json': observation({ reachable: false, cause: 'gone' }), 'recorded/summary.yaml': silent },
        stale,
      ],
      [
        'the status of the agent in the file of the cluster',
        {
          'clusters/eu-1.yaml': member('eu-1', { status: agent('2026-11-20T09:59:00Z') }),
          'recorded/summary.yaml': silent,
        },
        passes,
      ],
      [
        'that its agent is stale by the file of the cluster',
        { 'clusters/eu-1.yaml': member('eu-1', { status: agent('2026-11-20T09:00:00Z') }) },
        stale,
      ],
    ])('%s', async (_, files, verdict) => {
      expect(await verdictOn(files)).toEqual(verdict);
    });

    async function verdictOn(files: Record<string, string>): Promise<unknown> {
      const root = folder();
      put(root, { 'recorded/fleet.txt': '', 'observed/none.txt': '' });
      const written = folder();
      put(written, { ...shop, 'clusters/eu-1.yaml': member('eu-1') });
      for (const [path, text] of Object.entries(files))
        put(/^(recorded|observed)\//.test(path) ? root : written, { [path]: text });
      const observed = Object.keys(files).some((path) => path.startsWith('observed/'));
      const { out } = await cli(
        ...['explain', 'web', '--cluster', 'eu-1', '--repo', written, '--now', '2026-11-20T10:00:00Z', '-o', 'json'],
        ...['--recorded', `${root}/recorded`, ...(observed ? ['--observed', `${root}/observed`] : [])],
      );
      const [cluster] = (JSON.parse(out) as { clusters: { filters: { plugin: string }[] }[] }).clusters;
      return cluster!.filters.find(({ plugin }) => plugin === 'ClusterEligibility');
    }
  });

  it('gives the same as JSON: the decisions are those of the plan', async () => {
    const { out } = await explain('placement', 'cache', '-o', 'json');
    const { placement, clusters } = JSON.parse(out) as {
      placement: string;
      clusters: { clusterName: string; decision: { selected: boolean; clusterScore?: object } }[];
    };
    const planned = JSON.parse(
      (await cli('plan', '--repo', repo, '--now', '2026-11-20T10:00:00Z', '-o', 'json')).out,
    ) as {
      placements: { name: string; decisions: { clusterName: string }[] }[];
    };
    expect(placement).toBe('cache');
    expect(clusters.map(({ clusterName }) => clusterName)).toEqual(['dev-1', 'eu-1', 'eu-2', 'eu-3', 'gpu-1', 'us-1']);
    const decisions = planned.placements.find(({ name }) => name === 'cache')!.decisions;
    expect(clusters.map(({ decision }) => decision)).toEqual(
      [...decisions].sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1)),
    );
  });

  it('shows first that the selection is invalid, and uses the policy of the last scheduling', async () => {
    const wrong = folder();
    const one = (of: object) => ({ ...shop, 'placements/cache.yaml': place('cache', of) });
    const twice = { group: '', version: 'v1', kind: 'Namespace', name: 'web' };
    put(
      wrong,
      one({ resourceSelectors: [twice, twice], policy: { placementType: 'PickFixed', clusterNames: ['eu-1'] } }),
    );
    const at = ['--repo', wrong, '--now', '2026-11-20T10:00:00Z'];
    const head =
      'ClusterResourcePlacementScheduled is False, InvalidResourceSelectors: invalid ClusterResourcePlacement cache: found duplicate resource: v1 Namespace web is selected more than once';
    expect(await cli('explain', 'placement', 'cache', '--cluster', 'eu-1', ...at)).toEqual({
      code: 0,
      err: '',
      out: `${head}\n✗ eu-1  not in the decisions\n    passes ClusterNames\n${notKnown}`,
    });
    expect((await cli('render', '--placement', 'cache', '--cluster', 'eu-1', ...at)).err).toBe(
      `gitfleet: nothing is assigned to eu-1 by cache now: ${head.slice(head.indexOf('invalid '))}\n`,
    );
    const record = folder();
    put(wrong, one({ policy: { placementType: 'PickFixed', clusterNames: ['us-1'] } }));
    await cli('plan', ...at, '--out-recorded', record);
    put(
      wrong,
      one({ resourceSelectors: [twice, twice], policy: { placementType: 'PickFixed', clusterNames: ['eu-1'] } }),
    );
    const { out } = await cli('explain', 'placement', 'cache', '--cluster', 'us-1', ...at, '--recorded', record);
    expect(out).toBe(
      `${head}\n✓ us-1  picked by scheduling policy: cluster "us-1" is named in it\n    binding: Bound\n    passes ClusterNames\n${notKnown}`,
    );
  });

  it('distinguishes a placement that is not valid from one that does not exist', async () => {
    const broken = folder();
    put(broken, { ...shop, 'placements/cache.yaml': place('cache', { policy: { placementType: 'PickN' } }) });
    for (const args of [
      ['explain', 'cache'],
      ['explain', 'placement/cache'],
      ['explain', 'crp', 'cache'],
      ['render', '--cluster', 'eu-1', '--placement', 'cache'],
      ['diff', '--placement', 'cache'],
    ])
      expect(await cli(...args, '--repo', broken, '--now', '2026-11-20T10:00:00Z')).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/placement cache is not valid in the repo: gitfleet validate shows why\n$/),
      });
  });

  it('takes kinds as kubectl does, and a namespace or none', async () => {
    const { out } = await explain('placement', 'web/settings', '-o', 'json');
    expect((await explain('rp', 'settings', '-o', 'json')).out).toBe(out);
    expect((await explain('resourceplacements', 'web/settings', '-o', 'json')).out).toBe(out);
    expect((await explain('web/settings', '-o', 'json')).out).toBe(out);
    expect((await explain('settings', '-o', 'json')).out).toBe(out);
  });

  it.each<[why: string, args: readonly string[], err: string]>([
    ['an unknown placement', ['placement', 'cahce'], 'there is no placement cahce: did you mean cache?'],
    ['a placement of the other kind', ['rp', 'cache'], 'there is no placement cache: there is web/settings'],
    [
      'an unknown cluster',
      ['placement', 'cache', '--cluster', 'eu-9'],
      '--cluster: there is no cluster eu-9: did you mean eu-1?',
    ],
    ['another kind', ['cluster', 'eu-1'], 'explain takes a placement, not cluster: gitfleet explain placement shop'],
    ['nodes', ['node', 'n1'], 'explain takes a placement, not node: gitfleet describe node NAME --cluster C'],
  ])('names what to write for %s', async (_, args, err) => {
    expect(await explain(...args)).toEqual({ code: 2, out: '', err: `gitfleet: ${err}\n` });
  });
});
