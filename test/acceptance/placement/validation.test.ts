import { describe, expect, it } from 'vitest';
import { indent, member, type PrintedPlan, plan, shop } from '../../support/plan-command.ts';

const reported = ({ problems }: PrintedPlan): string[] =>
  problems.map(({ severity, file, line, column, path }) => `${severity} ${file}:${line}:${column} ${path}`);

const selector = '- {group: "", version: v1, kind: Namespace, name: shop}';
const placement = (spec: string, selectors = selector, kind = 'ClusterResourcePlacement'): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1
kind: ${kind}
metadata: {name: web${kind === 'ResourcePlacement' ? ', namespace: shop' : ''}}
spec:
  resourceSelectors:
${indent(selectors, 2)}
${spec && indent(spec, 2)}
`;
const planned = async (files: Readonly<Record<string, string>>) =>
  (await plan({ repo: { 'clusters.yaml': member('a'), 'resources/shop.yaml': shop, ...files } })).plan;

describe('what schema, CEL or webhook refuse is an error at its place, and the placement is not planned', () => {
  it.each([
    [
      'a number beyond int32',
      'policy:\n  placementType: PickN\n  numberOfClusters: 2147483648',
      '9:5 spec.policy.numberOfClusters',
    ],
    ['PickN without a number', 'policy:\n  placementType: PickN', '7:3 spec.policy.numberOfClusters'],
    ['names under PickAll', 'policy:\n  clusterNames: [a]', '8:5 spec.policy.clusterNames'],
    [
      'a number in quotes',
      'strategy:\n  rollingUpdate:\n    maxUnavailable: "3"',
      '9:7 spec.strategy.rollingUpdate.maxUnavailable',
    ],
    ['half a cluster', 'strategy:\n  rollingUpdate:\n    maxSurge: 1.5', '9:7 spec.strategy.rollingUpdate.maxSurge'],
    [
      'rollingUpdate with External',
      'strategy:\n  type: External\n  rollingUpdate: {}',
      '9:5 spec.strategy.rollingUpdate',
    ],
    ['a history of none', 'revisionHistoryLimit: 0', '7:3 spec.revisionHistoryLimit'],
  ])('%s', async (_, spec, place) => {
    const refused = await planned({ 'web.yaml': placement(spec) });
    expect([refused.placements, reported(refused)]).toEqual([[], [`error web.yaml:${place}`]]);
  });

  it('names that Kubernetes would refuse', async () => {
    const refused = await planned({ 'clusters.yaml': member('Eu-1'), 'web.yaml': placement('') });
    expect(reported(refused)).toEqual(['error clusters.yaml:4:3 metadata.name']);
  });
});

describe('what only planning finds has its line and column too', () => {
  const claims = '- {group: apps, version: v1, kind: Deployment, name: till}';
  it.each([
    [
      'a namespaced kind in a ClusterResourcePlacement',
      placement('', `${selector}\n${claims}`),
      '7:5 spec.resourceSelectors.1',
    ],
    [
      'a cluster-scoped kind in a ResourcePlacement',
      placement('', selector, 'ResourcePlacement'),
      '6:5 spec.resourceSelectors.0',
    ],
    ['an object selected twice', placement('', `${selector}\n${selector}`), '7:5 spec.resourceSelectors.1'],
    [
      'a misspelt kind',
      placement('', `${selector}\n- {group: apps, version: v1, kind: Deploymnt}`),
      '7:5 spec.resourceSelectors.1',
    ],
  ])('%s', async (_, file, place) => {
    expect(reported(await planned({ 'web.yaml': `# a comment first\n---\n${file}` }))).toEqual([
      `error web.yaml:${place.replace(/^\d+/, (line) => String(Number(line) + 2))}`,
    ]);
  });

  it('an eviction that a webhook would refuse', async () => {
    const eviction =
      'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: out}\nspec: {placementName: web, clusterName: a}\n';
    const fixed = placement('policy: {placementType: PickFixed, clusterNames: [a]}');
    expect(reported(await planned({ 'web.yaml': fixed, 'out.yaml': eviction }))).toEqual(['error out.yaml:4:1 spec']);
  });

  it('a change that is forbidden', async () => {
    const base = { 'clusters.yaml': member('a'), 'resources/shop.yaml': shop };
    const before = await plan({ repo: { ...base, 'web.yaml': placement('') } });
    const after = await plan({
      repo: { ...base, 'web.yaml': placement('policy:\n  placementType: PickN\n  numberOfClusters: 1') },
      recorded: before.recorded,
    });
    expect(reported(after.plan)).toEqual(['error web.yaml:8:5 spec.policy.placementType']);
    expect(after.recorded['summary.yaml']).toContain('web.yaml');
  });
});
