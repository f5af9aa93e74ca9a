import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { folder, put, removeFolders } from '../support/folders.ts';
import { cli } from '../support/run-cli.ts';
import { place, shop } from '../support/shop.ts';

afterAll(removeFolders);

const name = '${MEMBER-CLUSTER-NAME}';
const region = '${MEMBER-CLUSTER-LABEL-KEY-region}';

/** The repo of a shop with an eviction and a budget, after one file was written otherwise. */
const files: Readonly<Record<string, string>> = {
  ...shop,
  // Where the placement of its namespace brings everything else to.
  'placements/settings.yaml': shop['placements/settings.yaml']!.replace(
    'placementType: PickAll',
    'placementType: PickFixed\n    clusterNames: [dev-1]',
  ),
  'placements/web-dev.yaml': stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name: 'web-dev' },
    spec: {
      resourceSelectors: [
        { group: '', version: 'v1', kind: 'Namespace', name: 'web', selectionScope: 'NamespaceOnly' },
      ],
      policy: { placementType: 'PickFixed', clusterNames: ['dev-1'] },
    },
  }),
  'evictions/e.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementEviction
metadata: {name: e}
spec:
  placementName: web
  clusterName: us-1
`,
  'evictions/b.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementDisruptionBudget
metadata:
  name: web
spec: {minAvailable: 1}
`,
  'overrides/where.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: where, namespace: web}
spec:
  placement:
    name: settings
    scope: Namespaced
  resourceSelectors:
    - {group: "", version: v1, kind: ConfigMap, name: settings}
  policy:
    overrideRules:
      - jsonPatchOverrides:
          - {op: add, path: /data/where, value: "\${MEMBER-CLUSTER-LABEL-KEY-region}/\${MEMBER-CLUSTER-NAME}"}
`,
};

async function validated(changes: Readonly<Record<string, readonly [string, string]>>) {
  const dir = folder();
  const changed = Object.entries(changes).map(([path, [from, to]]) => {
    const text = files[path]!;
    expect(text).toContain(from);
    return [path, text.replace(from, to)] as const;
  });
  put(dir, { ...files, ...Object.fromEntries(changed) });
  const { code, out, err } = await cli('validate', dir);
  expect(err).toBe('');
  return { code, lines: out.split('\n').filter((line) => !/ read: |^$/.test(line)) };
}

describe('validate reports about an unknown name', () => {
  it('nothing when every name leads somewhere', async () => {
    expect(await validated({})).toEqual({ code: 0, lines: [] });
  });

  it.each<[string, string, readonly [string, string], RegExp, string]>([
    [
      'the strategy of a run',
      'rollouts/pay-1.yaml',
      ['careful', 'carefull'],
      /^rollouts\/pay-1\.yaml:7:3: .*ClusterStagedUpdateRun pay-1: there is no ClusterStagedUpdateStrategy carefull in/,
      'careful',
    ],
    [
      'the placement of a run',
      'rollouts/pay-1.yaml',
      ['placementName: pay', 'placementName: pya'],
      /^rollouts\/pay-1\.yaml:6:3: .*there is no ClusterResourcePlacement pya in/,
      'pay',
    ],
    [
      'the placement of an eviction',
      'evictions/e.yaml',
      ['placementName: web', 'placementName: wbe'],
      /^evictions\/e\.yaml:5:3: .*there is no ClusterResourcePlacement wbe in/,
      'web',
    ],
    [
      'the cluster of an eviction',
      'evictions/e.yaml',
      ['us-1', 'us1'],
      /^evictions\/e\.yaml:6:3: .*there is no MemberCluster us1 in/,
      'us-1',
    ],
    [
      'the placement of a budget',
      'evictions/b.yaml',
      ['name: web', 'name: webb'],
      /^evictions\/b\.yaml:4:3: .*there is no ClusterResourcePlacement webb in/,
      'web',
    ],
    [
      'a cluster of PickFixed',
      'placements/web.yaml',
      ['us-1', 'us-11'],
      /^placements\/web\.yaml:\d+:\d+: .*there is no MemberCluster us-11 in/,
      'us-1',
    ],
    [
      'a namespace that a placement selects',
      'placements/web.yaml',
      ['version: v1\n      kind: Namespace\n      name: web', 'version: v1\n      kind: Namespace\n      name: weeb'],
      /^placements\/web\.yaml:\d+:\d+: .*there is no Namespace weeb in this repo$/,
      'web',
    ],
    [
      'an object that a placement of a namespace selects',
      'placements/settings.yaml',
      ['kind: ConfigMap\n      name: settings', 'kind: ConfigMap\n      name: setings'],
      /^placements\/settings\.yaml:\d+:\d+: .*there is no ConfigMap setings in namespace web in this repo$/,
      'settings',
    ],
    [
      'the placement of an override',
      'overrides/where.yaml',
      ['name: settings', 'name: setings'],
      /^overrides\/where\.yaml:6:5: .*there is no ResourcePlacement setings in namespace web in/,
      'settings',
    ],
    [
      'what an override selects',
      'overrides/where.yaml',
      ['ConfigMap, name: settings', 'ConfigMap, name: setings'],
      /^overrides\/where\.yaml:9:\d+: .*there is no ConfigMap setings in namespace web in/,
      'settings',
    ],
  ])('%s, with its place and the nearest that there is', async (_, path, change, expected, nearest) => {
    const { code, lines } = await validated({ [path]: change });
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/: warning\[dangling-reference\]: /),
      `    fix: did you mean ${nearest}?`,
    ]);
    expect(lines[0]).toMatch(expected);
  });

  it('of PickFixed with its consequence, when no cluster of the placement exists', async () => {
    const { lines } = await validated({
      'placements/web.yaml': ['- eu-1\n      - us-1', '- us-11'],
    });
    expect(lines[0]).toMatch(/it runs on no cluster, and is removed from those it was on$/);
  });

  it.each([
    [
      'a ClusterResourceOverride that selects a namespaced kind, with the namespaces that have one of the name',
      ['ResourceOverride\nmetadata: {name: where, namespace: web}', 'ClusterResourceOverride\nmetadata: {name: where}'],
      '8:32',
      'ClusterResourceOverride where: ConfigMap is namespaced, and a ClusterResourceOverride changes such objects only through their Namespace, all of them at once',
      'write a ResourceOverride in namespace web',
    ],
    [
      'a ClusterResourceOverride that selects unknown objects',
      [
        'ResourceOverride\nmetadata: {name: where, namespace: web}',
        'ClusterResourceOverride\nmetadata: {name: where}',
        'kind: ConfigMap, name: settings',
        'kind: Secret, name: settings',
      ],
      '8:32',
      'ClusterResourceOverride where: Secret is namespaced, and a ClusterResourceOverride changes such objects only through their Namespace, all of them at once',
      'write a ResourceOverride in its namespace',
    ],
    [
      'a ResourceOverride that selects a cluster-scoped kind',
      ['kind: ConfigMap, name: settings', 'kind: Namespace, name: web'],
      '9:32',
      'ResourceOverride web/where: Namespace is cluster-scoped, and a ResourceOverride changes only objects in its namespace, web',
      'write a ClusterResourceOverride',
    ],
  ])('%s', async (_, changes, at, message, fix) => {
    const cluster = changes[1]!.startsWith('Cluster');
    const text = changes.reduce(
      (before, from, index) => (index % 2 === 0 ? before.replace(from, changes[index + 1]!) : before),
      files['overrides/where.yaml']!,
    );
    const written = cluster
      ? text.replace(
          '  placement:\n    name: settings\n    scope: Namespaced\n  resourceS',
          '  placement:\n    name: web\n  clusterResourceS',
        )
      : text;
    expect(await validated({ 'overrides/where.yaml': [files['overrides/where.yaml']!, written] })).toEqual({
      code: 0,
      lines: [`overrides/where.yaml:${at}: warning[override-scope]: ${message}`, `    fix: ${fix}`],
    });
  });

  it.each([
    ['a misspelt variable', 'CLUSTER-NAME', 'CLUSTER-NMAE', 'there is no variable ${MEMBER-CLUSTER-NMAE}', name],
    ['a variable with underscores', 'MEMBER-CLUSTER-NAME', 'MEMBER_CLUSTER_NAME', '${MEMBER_CLUSTER_NAME}, so', name],
    ['a variable in small letters', 'MEMBER-CLUSTER-NAME', 'member-cluster-name', '${member-cluster-name}, so', name],
    [
      'a variable in other brackets',
      '${MEMBER-CLUSTER-NAME}',
      '$(MEMBER-CLUSTER-NAME)',
      '$(MEMBER-CLUSTER-NAME), so',
      name,
    ],
    ['a variable that is none', 'MEMBER-CLUSTER-NAME', 'MEMBER-CLUSTER-ZONE', 'there is no variable ${', undefined],
    [
      'a label with underscores',
      'MEMBER-CLUSTER-LABEL-KEY-region',
      'MEMBER_CLUSTER_LABEL_KEY_region',
      'there is no variable ${MEMBER_CLUSTER_LABEL_KEY_region}',
      region,
    ],
    ['a label that no cluster has', 'KEY-region', 'KEY-regoin', 'no cluster has a label regoin', region],
  ])('%s of an override', async (_, from, to, expected, meant) => {
    const { code, lines } = await validated({ 'overrides/where.yaml': [from, to] });
    expect([code, lines[0]]).toEqual([
      0,
      expect.stringContaining(`warning[lost-variable]: ResourceOverride web/where: `),
    ]);
    expect(lines[0]).toMatch(/^overrides\/where\.yaml:13:\d+: /);
    expect(lines[0]).toContain(expected);
    expect(lines[1]).toContain(meant === undefined ? `fix: write ${name}, or ` : `fix: did you mean ${meant}?`);
  });

  it('a snapshot index of a run that is not a number', async () => {
    const { code, lines } = await validated({
      'rollouts/pay-1.yaml': ['  placementName', '  resourceSnapshotIndex: "x"\n  placementName'],
    });
    expect([code, lines]).toEqual([
      0,
      [
        'rollouts/pay-1.yaml:6:3: warning[invalid-index]: ClusterStagedUpdateRun pay-1: resourceSnapshotIndex is a number of 0 or more: with this one the run fails when it starts (found x)',
        '    fix: write for example "1", or omit it for the present content of resources/',
      ],
    ]);
  });

  it('nothing while the object of that name is there and broken, or a file cannot be read', async () => {
    const slip = await validated({ 'placements/pay.yaml': ['External', 'Externl'] });
    expect(slip.lines.filter((line) => line.includes('dangling'))).toEqual([]);
    const tab = await validated({ 'placements/pay.yaml': ['kind:', '\tkind:'] });
    expect(tab.lines.filter((line) => line.includes('dangling'))).toEqual([]);
  });

  it('nothing for a placement that is being deleted: it exists, and its own file is reported', async () => {
    const { code, lines } = await validated({
      'placements/web.yaml': ['name: web', 'name: web\n  deletionTimestamp: "2026-11-20T10:00:00Z"'],
    });
    expect([code, lines.filter((line) => line.includes('warning'))]).toEqual([
      0,
      [
        expect.stringMatching(
          /^placements\/web\.yaml:.* it is being deleted and counts as removed, and its objects are removed from its clusters/,
        ),
      ],
    ]);
  });

  it('as an error, of a kind that is misspelt in a selector', async () => {
    const { code, lines } = await validated({ 'placements/settings.yaml': ['kind: ConfigMap', 'kind: ConfigMpa'] });
    expect(code).toBe(2);
    expect(lines[0]).toMatch(
      /^placements\/settings\.yaml:\d+:\d+: error\[invalid-resource-selectors\]: .*did you mean ConfigMap\?/,
    );
  });
});

it('plan reports the same as validate, once and with the same position', async () => {
  const dir = folder();
  put(dir, {
    ...files,
    'rollouts/pay-1.yaml': files['rollouts/pay-1.yaml']!.replace('careful', 'carefull'),
    'overrides/where.yaml': files['overrides/where.yaml']!.replace('CLUSTER-NAME', 'CLUSTER_NAME'),
    'placements/web.yaml': place('web', {
      policy: {
        placementType: 'PickAll',
        affinity: {
          clusterAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              clusterSelectorTerms: [
                { labelSelector: { matchLabels: { region: 'nowhere' } } },
                { propertySelector: { matchExpressions: [{ name: 'available-cpu', operator: 'Gt', values: ['1'] }] } },
              ],
            },
          },
        },
      },
    }),
  });
  const told = async (...args: string[]) => {
    const { out } = await cli(...args, '-o', 'json');
    const document = JSON.parse(out) as Record<
      string,
      { severity: string; code: string; line?: number; column?: number }[]
    >;
    const problems = document['items'] ?? document['problems']!;
    return problems
      .filter(({ severity }) => severity !== 'info')
      .map(({ code, line, column }) => ({ code, line, column }));
  };
  const validated = await told('validate', dir);
  expect(validated.map(({ code }) => code).sort()).toEqual([
    'dangling-reference',
    'idle-selector',
    'lost-variable',
    'unknown-property',
  ]);
  const planned = await told('plan', '--repo', dir);
  expect(planned.toSorted((a, b) => (a.code < b.code ? -1 : 1))).toEqual(
    validated.toSorted((a, b) => (a.code < b.code ? -1 : 1)),
  );
});
