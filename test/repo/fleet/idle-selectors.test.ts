import { describe, expect, it } from 'vitest';
import { idleSelectors } from '../../../src/repo/fleet/idle-selectors.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { emptyWaves } from '../../../src/repo/fleet/nodes/empty-waves.ts';
import { member, placement, treeOf } from '../../support/paper-fleet.ts';

const picks = (term: string) =>
  placement(
    'web',
    `{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [${term}]}}}}`,
  );
const idle = async (files: Readonly<Record<string, string>>) => {
  const fleet = await loadFleet(treeOf(files));
  expect(fleet.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return idleSelectors(fleet).map(({ file, path, message }) => [file, path?.split('.').slice(-2).join('.'), message]);
};
const clusters = { 'a.yaml': member('a', { env: 'prod' }), 'b.yaml': member('b', { env: 'dev', tier: 'gold' }) };

describe('selectors that match no cluster', () => {
  it.each([
    ['a label that one has', '{labelSelector: {matchLabels: {env: prod}}}'],
    ['no labels: every cluster', '{labelSelector: {}}'],
    ['the name of a member, which is implied', '{labelSelector: {matchLabels: {kubernetes-fleet.io/member-name: b}}}'],
    [
      'properties, which the repo does not hold',
      '{propertySelector: {matchExpressions: [{name: kubernetes-fleet.io/node-count, operator: Gt, values: ["9"]}]}}',
    ],
  ])('are not: %s', async (_, term) => {
    expect(await idle({ ...clusters, 'web.yaml': picks(term) })).toEqual([]);
  });

  it.each([
    ['a value that none has', '{labelSelector: {matchLabels: {env: porduction}}}', ': none has env=porduction'],
    [
      'a key that none has',
      '{labelSelector: {matchExpressions: [{key: region, operator: Exists}]}}',
      ': none has region',
    ],
    ['labels that none has together', '{labelSelector: {matchLabels: {env: prod, tier: gold}}}', ''],
  ])('are: %s', async (_, term, why) => {
    expect(await idle({ ...clusters, 'web.yaml': picks(term) })).toEqual([
      ['web.yaml', '0.labelSelector', `ClusterResourcePlacement web: the labels match no cluster of this repo${why}`],
    ]);
  });

  it('are found in preferences, overrides and stages as well', async () => {
    const none = '{labelSelector: {matchLabels: {env: none}}}';
    const found = await idle({
      ...clusters,
      'web.yaml': placement(
        'web',
        `{placementType: PickN, numberOfClusters: 1, affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: ${none}}]}}}`,
      ),
      'o.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourceOverride
metadata: {name: o}
spec:
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [${none}]}, overrideType: Delete}]}
`,
      's.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: s}
spec: {stages: [{name: one, labelSelector: {matchLabels: {env: prod}}}, {name: two, labelSelector: {matchLabels: {env: none}}}]}
`,
    });
    expect(found.map(([file, path]) => [file, path])).toEqual([
      ['web.yaml', 'preference.labelSelector'],
      ['o.yaml', '0.labelSelector'],
      ['s.yaml', '1.labelSelector'],
    ]);
  });

  it('are not reported in a repo without clusters', async () => {
    expect(await idle({ 'web.yaml': picks('{labelSelector: {matchLabels: {env: prod}}}') })).toEqual([]);
  });

  it('are found in maintenance windows', async () => {
    const windows = (byLabel: string) => ({
      ...clusters,
      'windows.yaml': `apiVersion: gitfleet.dev/v1alpha1
kind: MaintenanceConfiguration
metadata: {name: nights}
spec:
  memberSelector: {byLabel: "${byLabel}"}
  maintenanceWindow: {schedule: {daily: {intervalDays: 1}}, startTime: "01:00"}
`,
    });
    expect(await idle(windows('env in (prod, test)'))).toEqual([]);
    expect(await idle(windows('env=prodd'))).toEqual([
      [
        'windows.yaml',
        'memberSelector.byLabel',
        'MaintenanceConfiguration nights: the labels match no cluster of this repo: none has env=prodd',
      ],
    ]);
  });

  it('are found in catalogues, price lists, and limits of the disruption of nodes', async () => {
    const own = (kind: string, spec: string) =>
      `apiVersion: gitfleet.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: eu}\nspec: ${spec}\n`;
    const files = (env: string) => ({
      ...clusters,
      'catalog.yaml': own('InstanceCatalog', `{clusterSelector: {matchLabels: {env: ${env}}}, instanceTypes: []}`),
      'prices.yaml': own('PriceList', `{currency: EUR, clusterSelector: {matchLabels: {env: ${env}}}, prices: []}`),
      'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec:
  nodeDisruption:
    budgets: [{nodes: "1", clusterSelector: {matchLabels: {env: ${env}}}}, {nodes: "1"}]
    waves: [{matchLabels: {env: dev}}, {matchLabels: {env: ${env}}}]
`,
    });
    expect(await idle(files('prod'))).toEqual([]);
    const why = 'the labels match no cluster of this repo: none has env=none';
    expect(await idle(files('none'))).toEqual([
      ['catalog.yaml', 'spec.clusterSelector', `InstanceCatalog eu: ${why}`],
      ['prices.yaml', 'spec.clusterSelector', `PriceList eu: ${why}`],
      ['fleet.yaml', '0.clusterSelector', `FleetConfig fleet: ${why}`],
      ['fleet.yaml', 'waves.1', `FleetConfig fleet: ${why}`],
    ]);
  });
});

it('a wave of which every cluster is in earlier ones is empty', async () => {
  const waves = (text: string) =>
    `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec:\n  nodeDisruption:\n    waves:\n${text}`;
  const found = async (text: string) =>
    emptyWaves(await loadFleet(treeOf({ ...clusters, 'fleet.yaml': waves(text) }))).map(({ path, message }) => [
      path,
      message,
    ]);
  const [dev, prod, none] = ['dev', 'prod', 'none'].map((env) => `    - {matchLabels: {env: ${env}}}\n`);
  expect(await found(`${dev}${prod}${none}`)).toEqual([]);
  expect(await found(`    - {}\n${prod}`)).toEqual([
    [
      'spec.nodeDisruption.waves.1',
      'FleetConfig fleet: no cluster is in this wave: all that it selects are in earlier ones',
    ],
  ]);
});
