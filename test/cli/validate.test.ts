import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { folder, put, removeFolders } from '../support/folders.ts';
import { bare, commit, sh } from '../support/git-repository.ts';
import { member, placement } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';

afterAll(removeFolders);

const mistakes = join(import.meta.dirname, '../repo/fixtures/twenty-mistakes');

describe('validate', () => {
  it('prints a finding with its position for each mistake of a folder that has many, and ends with 2', async () => {
    const ran = await cli('validate', mistakes);
    expect({ code: ran.code, err: ran.err }).toEqual({ code: 2, err: '' });
    const findings = ran.out.split('\n').filter((line) => /^\S+\.yaml:\d+:\d+: error\[[a-z-]+\]: \S/.test(line));
    expect(new Set(findings.map((line) => line.split(':')[0])).size).toBeGreaterThanOrEqual(20);
    await expect(ran.out).toMatchFileSnapshot('./validate.golden.txt');
  });

  it('-o json has the same findings', async () => {
    const ran = await cli('validate', mistakes, '-o', 'json');
    const { kind, items } = JSON.parse(ran.out) as { kind: string; items: { file: string; line: number }[] };
    expect([ran.code, kind]).toEqual([2, 'ProblemList']);
    expect(items.every(({ file, line }) => file !== '' && line > 0)).toBe(true);
    expect(items.length).toBeGreaterThanOrEqual(20);
  });

  it('--repo names the repo, as for other commands', async () => {
    expect(await cli('validate', '--repo', mistakes)).toEqual(await cli('validate', mistakes));
  });

  it('a repo without mistakes ends with 0', async () => {
    const dir = folder();
    put(dir, { 'clusters/eu-1.yaml': member('eu-1') });
    expect(await cli('validate', dir)).toEqual({
      code: 0,
      out: '1 fleet object and 0 resources read: 0 errors, 0 warnings, 0 notes.\n',
      err: '',
    });
  });

  it('--ref reads a branch', async () => {
    const dir = folder();
    sh(dir, 'init', '-q');
    commit(dir, { 'clusters/eu-1.yaml': member('eu-1') });
    sh(dir, 'checkout', '-qb', 'next');
    commit(dir, { 'clusters/eu-1.yaml': member('eu-1', {}, 'heartbeatPeriodSeconds: 0') });
    sh(dir, 'checkout', '-q', 'main');
    expect(await cli('validate', dir)).toMatchObject({ code: 0 });
    expect(await cli('validate', dir, '--ref', 'next')).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^clusters\/eu-1.yaml:6:8: error\[out-of-range\]: MemberCluster eu-1: /),
    });
  });

  it('reads the working tree of a clone without ignored files, and reports that it does', async () => {
    const dir = folder();
    sh(dir, 'init', '-q');
    put(dir, { 'clusters/eu-1.yaml': member('eu-1') });
    const read = (what: string) => `1 fleet object and 0 resources ${what}: 0 errors, 0 warnings, 0 notes.\n`;
    const fromTree = { code: 0, out: read('read from the working tree, committed or not'), err: '' };
    expect(await cli('validate', dir)).toEqual(fromTree);
    const id = commit(dir, { 'clusters/eu-1.yaml': member('eu-1'), '.gitignore': 'out/\n' });
    put(dir, { 'out/broken.yaml': 'kind: Oops\n', '.idea/x.yaml': 'kind: Oops\n' });
    expect(await cli('validate', dir)).toEqual(fromTree);

    put(dir, { 'clusters/eu-1.yaml': member('eu-1', {}, 'heartbeatPeriodSeconds: 0') });
    expect(await cli('validate', dir)).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^clusters\/eu-1.yaml:6:8: /),
    });
    put(dir, {
      'clusters/eu-1.yaml': member('eu-1'),
      'clusters/new.yaml': member('new', {}, 'heartbeatPeriodSeconds: 0'),
    });
    expect(await cli('validate', dir)).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^clusters\/new.yaml:6:8: /),
    });
    expect(await cli('validate', dir, '--ref', 'main')).toEqual({
      code: 0,
      out: read(`read of commit ${id.slice(0, 12)}`),
      err: '',
    });
    sh(dir, 'rm', '-q', '-f', 'clusters/eu-1.yaml');
    expect((await cli('validate', dir)).out).not.toContain('eu-1');
  });

  it('reads a bare repository from its last commit', async () => {
    expect((await cli('validate', bare())).out).toMatch(/ read of commit [0-9a-f]{12}: /);
  });

  it('warns of a selector that matches no cluster', async () => {
    const dir = folder();
    const policy =
      '{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: porduction}}}]}}}}';
    put(dir, {
      'clusters/eu-1.yaml': member('eu-1', { env: 'production' }),
      'placements/web.yaml': placement('web', policy),
      'resources/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
    });
    expect(await cli('validate', dir)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^placements\/web.yaml:6:\d+: warning\[idle-selector\]: ClusterResourcePlacement web: the labels match no cluster of this repo: none has env=porduction\n/,
      ),
    });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['at once', { 'placements/web.yaml': placement('web', '{placementType: PickAll}') }],
    ['by a run to come', { 'placements/web.yaml': placement('web', '{placementType: PickAll}', '{type: External}') }],
    [
      'after a freeze',
      {
        'placements/web.yaml': placement('web', '{placementType: PickAll}'),
        'fleet.yaml':
          'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: a, schedule: "* * * * *", duration: 1h}]}\n',
      },
    ],
    [
      'after a suspension',
      {
        'placements/web.yaml': placement('web', '{placementType: PickAll}').replace(
          '{name: web}',
          '{name: web, annotations: {gitfleet.dev/suspended: incident 42}}',
        ),
      },
    ],
  ])('warns of an override that fails on the clusters it would apply to, %s', async (_, files) => {
    const dir = folder();
    put(dir, {
      ...files,
      'clusters/eu-1.yaml': member('eu-1'),
      'resources/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
      'overrides/bad.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourceOverride
metadata: {name: bad}
spec:
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: []}
        jsonPatchOverrides: [{op: replace, path: /spec/nope, value: 1}]
`,
    });
    const { code, out } = await cli('validate', dir);
    expect([code, out.split('\n')[0]]).toEqual([
      0,
      'overrides/bad.yaml:9:30: warning[failing-override]: ClusterResourcePlacement web: an override fails on eu-1: override snapshot bad-0 on v1 Namespace web: rule 1, patch 1: replace /spec/nope: "spec" does not exist',
    ]);
  });

  it('warns of objects that two placements bring to one cluster, as plan does', async () => {
    const dir = folder();
    put(dir, {
      'clusters/eu-1.yaml': member('eu-1'),
      'placements/one.yaml': placement('one', '{placementType: PickAll}', undefined, 'web'),
      'placements/two.yaml': placement('two', '{placementType: PickAll}', undefined, 'web'),
      'resources/web.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n',
    });
    const line =
      'placements/two.yaml:5:3: warning[contested-object]: ClusterResourcePlacement two: ClusterResourcePlacement one also applies Namespace web to eu-1: a cluster rejects the second placement\n';
    expect(await cli('validate', dir)).toMatchObject({ code: 0, out: expect.stringContaining(line) });
    expect(await cli('plan', '--repo', dir)).toMatchObject({ code: 1, out: expect.stringContaining(line) });
  });

  it('notes that a folder is empty', async () => {
    const dir = folder();
    const note = `note: ${dir} holds no files: is it the fleet repo that you mean?\n`;
    expect((await cli('validate', dir)).err).toBe(note);
    expect((await cli('plan', '--repo', dir)).err).toBe(note);
  });

  it.each([
    [['/nowhere'], 3, '/nowhere cannot be read: no such file or directory'],
    [[mistakes, '--path', 'nowhere'], 3, 'cannot be read: it has no folder nowhere/: name another --path'],
    [['https://ann:secret@git.example.com/x.git'], 2, 'gitfleet: https://git.example.com/x.git: credentials in a URL'],
    [[mistakes, '-o', 'markdown'], 2, '-o markdown is not known here: use one of table, json'],
    [['clusters', '--repo', mistakes], 2, 'name the fleet repo once'],
    [[mistakes, '--ref', 'main'], 3, 'not a git repository, so it has no main: leave --ref out'],
  ])('%j', async (args, code, message) => {
    const ran = await cli('validate', ...args);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });
});

describe('validate reports what only the whole fleet shows', () => {
  const place = (spec: string, kind = 'ClusterResourcePlacement', where = '') =>
    `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ${kind}\nmetadata: {name: web${where}}\nspec:\n  resourceSelectors: [${spec}]\n`;
  const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
  const settings = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n';
  const selectNamespace = '{group: "", version: v1, kind: Namespace, name: web}';
  const spread = `  policy: {placementType: PickN, numberOfClusters: 1, topologySpreadConstraints: [{topologyKey: regoin}]}\n`;
  const lines = async (files: Record<string, string>) =>
    (await cli('validate', folder(files))).out.split('\n').filter((line) => line.includes('warning['));

  it('resources that no placement selects, once for each namespace', async () => {
    const files = {
      'clusters/eu-1.yaml': member('eu-1'),
      'web.yaml': place(selectNamespace),
      'resources/web.yaml': namespace('web'),
      'resources/shop.yaml': `${settings}---\n${namespace('shop')}`,
    };
    expect(await lines(files)).toEqual([
      'resources/shop.yaml:7:12: warning[not-selected]: Namespace shop: no placement selects it, nor 1 more of namespace shop',
    ]);
  });

  const oneUnselected = {
    'clusters/eu-1.yaml': member('eu-1'),
    'web.yaml': place(selectNamespace),
    'resources/web.yaml': namespace('web'),
  };

  it('of a reserved namespace, which only a ResourcePlacement can select', async () => {
    const inDefault = (name: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\n---\n`;
    const files = {
      ...oneUnselected,
      'rp.yaml': place(
        '{group: "", version: v1, kind: ConfigMap, name: a}',
        'ResourcePlacement',
        ', namespace: default',
      ),
      'resources/a.yaml': inDefault('a') + inDefault('b') + namespace('default'),
    };
    expect((await cli('validate', folder(files))).out).toContain(
      'resources/a.yaml:7:12: warning[not-selected]: ConfigMap default/b: no placement selects it\n    fix: select it by a ResourcePlacement in namespace default, or write another namespace\n3 fleet',
    );
  });

  it('a namespace that is nearly one of the repo', async () => {
    const files = { ...oneUnselected, 'resources/a.yaml': settings.replace('shop', 'wbe') };
    expect((await cli('validate', folder(files))).out).toContain(
      'resources/a.yaml:3:12: warning[not-selected]: ConfigMap wbe/settings: no placement selects it, and there is no Namespace wbe\n    fix: did you mean web?',
    );
  });

  it('also beside a resource without a name', async () => {
    const files = { ...oneUnselected, 'resources/a.yaml': settings, 'resources/b.yaml': namespace('""') };
    expect(await lines(files)).toEqual([expect.stringContaining('a.yaml:3:12: warning[not-selected]')]);
    const nameless = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {}\nspec: {replicas: two, pausd: true}\n';
    expect(await lines({ ...files, 'resources/b.yaml': nameless })).toContainEqual(
      expect.stringContaining('a.yaml:3:12: warning[not-selected]'),
    );
    expect(await lines({ ...files, 'b.yaml': place('').replace('{name: web}', '{}') })).toEqual([]);
    expect(await lines({ ...files, 'b.yaml': 'apiVersion: [' })).toEqual([]);
    const dangling = place(selectNamespace).replace('name: web}]', 'name: wbe}]');
    const { out } = await cli('plan', '--repo', folder({ ...files, 'web.yaml': dangling }));
    expect(out).toContain('warning[dangling-reference]');
  });

  it('resources of a fleet without any placement', async () => {
    const { 'web.yaml': _, ...files } = oneUnselected;
    const dir = folder(files);
    expect((await cli('validate', dir)).out).toBe(
      'resources/web.yaml:3:12: warning[not-selected]: Namespace web: no placement selects it\n    fix: the fleet has no placement: add one that selects it\n1 fleet object and 1 resource read: 0 errors, 1 warning, 0 notes.\n',
    );
    expect((await cli('plan', '--repo', dir)).out).toContain(
      'No bindings: the fleet has no placement, so nothing is deployed.\n',
    );
  });

  it('a fleet without a cluster, and what adds one', async () => {
    const dir = folder({ 'web.yaml': place(selectNamespace), 'resources/web.yaml': namespace('web') });
    for (const [command, what] of [
      [['validate', dir], 'info[no-cluster]: the fleet has no MemberCluster, so nothing is placed'],
      [['plan', '--repo', dir], 'No bindings: the fleet has no MemberCluster. gitfleet join CONTEXT adds one.'],
      [['explain', 'web', '--repo', dir], 'The fleet has no MemberCluster. gitfleet join CONTEXT adds one.\n'],
    ] as const)
      expect((await cli(...command)).out).toContain(what);
  });

  it('a staged update run of a placement that rolls out by itself', async () => {
    const run =
      'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: r}\nspec: {placementName: web, stagedRolloutStrategyName: s}\n';
    const strategy =
      'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: s}\nspec: {stages: [{name: all, labelSelector: {}}]}\n';
    const files = { ...oneUnselected, 'run.yaml': run, 'strategy.yaml': strategy };
    const found = expect.stringContaining(
      'run.yaml:4:8: warning[no-use]: ClusterStagedUpdateRun r: the strategy of placement web is RollingUpdate, so it rolls out by itself and this run fails',
    );
    expect(await lines(files)).toEqual([found]);
    const external = oneUnselected['web.yaml'].replace('spec:', 'spec:\n  strategy: {type: External}');
    expect(await lines({ ...files, 'web.yaml': external })).toEqual([]);
  });

  it('a change that the record in the status branch does not allow', async () => {
    const fleet = await FleetOnGit.open(oneUnselected);
    await fleet.settle();
    const fixed = `${oneUnselected['web.yaml']}  policy: {placementType: PickFixed, clusterNames: [eu-1]}\n`;
    put(fleet.dir, { 'web.yaml': fixed });
    expect(await cli('validate', fleet.dir)).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^web.yaml:6:12: error\[immutable-field\]: .*cannot change from PickAll to PickFixed/),
    });
  });

  it('a topologyKey that no cluster has, with the nearest', async () => {
    const files = {
      'clusters/eu-1.yaml': member('eu-1', { region: 'eu' }),
      'web.yaml': place(selectNamespace) + spread,
      'resources/web.yaml': namespace('web'),
    };
    expect(await lines(files)).toEqual([
      expect.stringMatching(
        /^web.yaml:6:\d+: warning\[idle-selector\]: .*no cluster of this repo has the label regoin$/,
      ),
    ]);
  });

  it('a ResourcePlacement on clusters to which nothing brings its namespace', async () => {
    const select = '{group: "", version: v1, kind: ConfigMap, name: settings}';
    const files = {
      'clusters/eu-1.yaml': member('eu-1'),
      'rp.yaml': place(select, 'ResourcePlacement', ', namespace: shop'),
      'resources/shop.yaml': settings,
    };
    const brought = place(selectNamespace).replace('name: web}]', 'name: shop}]');
    expect(await lines(files)).toEqual([
      expect.stringMatching(
        /^rp.yaml:3:\d+: warning\[namespace-not-placed\]: .*no placement brings the namespace shop to eu-1$/,
      ),
    ]);
    expect(
      await lines({
        ...files,
        'crp.yaml': brought.replace('name: shop}]', 'name: shop, selectionScope: NamespaceOnly}]'),
        'resources/ns.yaml': namespace('shop'),
      }),
    ).toEqual([]);
  });
});

describe('validate notes SealedSecrets', () => {
  const sealed = (name: string): string =>
    `---\napiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: ${name}, namespace: web}\nspec: {encryptedData: {a: AgBy}}\n`;
  const files = (clusters: string) => ({
    'clusters/eu-1.yaml': member('eu-1'),
    'clusters/us-1.yaml': member('us-1'),
    'crp.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: web}\nspec:\n  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]\n  policy: {placementType: PickFixed, clusterNames: [${clusters}]}\n`,
    'resources/web.yaml': `apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n${sealed('token')}`,
  });
  const notes = async (clusters: string) =>
    (await cli('validate', folder(files(clusters)))).out.split('\n').filter((line) => line.includes('sealed-secret'));

  it('that several clusters get, since each has its own key', async () => {
    expect(await notes('eu-1, us-1')).toEqual([
      'resources/web.yaml:6:1: info[sealed-secret]: SealedSecret web/token goes to eu-1, us-1: each can open it only with the key it was sealed for',
    ]);
    expect(await notes('eu-1')).toEqual([]);
  });
});

describe('validate in a pipeline', () => {
  const files = {
    'clusters/eu-1.yaml': member('eu-1'),
    'resources/web.yaml':
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: web}\nspec: {replica: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}\n',
  };

  it('--strict ends with 2 for warnings', async () => {
    const dir = folder({ ...files, 'resources/web.yaml': files['resources/web.yaml'].replace('replica', 'fancy') });
    expect((await cli('validate', dir)).code).toBe(0);
    expect((await cli('validate', dir, '--strict')).code).toBe(2);
  });

  it('-o github prints annotations', async () => {
    const { out } = await cli('validate', folder(files), '-o', 'github');
    expect(out.split('\n')[0]).toBe(
      '::error file=resources/web.yaml,line=4,col=8,title=gitfleet unknown-field::Deployment web/web: there is no field spec.replica%0Afix: did you mean replicas?',
    );
  });

  it('-o sarif prints a log for code scanning', async () => {
    const { out } = await cli('validate', folder(files), '-o', 'sarif');
    expect(JSON.parse(out)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'gitfleet', rules: [{ id: 'unknown-field' }] } },
          results: [
            {
              ruleId: 'unknown-field',
              level: 'error',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'resources/web.yaml' },
                    region: { startLine: 4, startColumn: 8 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
