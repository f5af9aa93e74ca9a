import { describe, expect, it } from 'vitest';
import { conditionLines, member, plan } from '../../../support/plan-command.ts';
import { crp, hub, object, rp, selected, selectedBy, shopAll } from './hub.ts';

describe('a ClusterResourcePlacement selects', () => {
  it.each<[string, string, string[]]>([
    ['a namespace by name with everything in it', '- {group: "", version: v1, kind: Namespace, name: shop}', shopAll],
    [
      'namespaces by label with everything in them',
      '- {group: "", version: v1, kind: Namespace, labelSelector: {matchLabels: {team: web}}}',
      ['Namespace blog', 'Namespace shop', 'ConfigMap blog/posts', ...shopAll.slice(1)],
    ],
    [
      'the Namespace object alone',
      '- {group: "", version: v1, kind: Namespace, name: shop, selectionScope: NamespaceOnly}',
      ['Namespace shop'],
    ],
    [
      'a namespace and of its resources those that other selectors take; cluster-scoped ones as given',
      `- {group: "", version: v1, kind: Namespace, name: shop, selectionScope: NamespaceWithResourceSelectors}
- {group: "", version: v1, kind: ConfigMap, labelSelector: {matchLabels: {app: till}}}
- {group: apps, version: v1, kind: Deployment, name: till}
- {group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: reader}`,
      ['Namespace shop', 'ConfigMap shop/prices', 'ClusterRole reader', 'Deployment shop/till'],
    ],
    [
      'cluster-scoped objects by label, and all of a kind without name and labels',
      '- {group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole}',
      ['ClusterRole reader'],
    ],
    ['nothing where the name is not there', '- {group: "", version: v1, kind: Namespace, name: nowhere}', []],
    [
      'nothing of a kind that is never placed',
      '- {group: "", version: v1, kind: Node}\n- {group: coordination.k8s.io, version: v1, kind: Lease}\n- {group: "", version: v1, kind: Namespace, name: blog, selectionScope: NamespaceOnly}',
      ['Namespace blog'],
    ],
  ])('%s', async (_, selectors, expected) => {
    const { plan: printed, placement } = await selectedBy(crp(selectors));
    expect(selected(printed)).toEqual(expected);
    expect(placement().scheduled.status).toBe('True');
    expect(printed.targets[0]!.objects.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(
      expected.map((text) => text.replace(/ .*\//, ' ')).sort(),
    );
  });
});

describe('a ResourcePlacement selects in its own namespace', () => {
  it.each<[string, string, string[]]>([
    ['by name', '- {group: "", version: v1, kind: ConfigMap, name: prices}', ['ConfigMap shop/prices']],
    [
      'by label, terms ORed',
      '- {group: "", version: v1, kind: ConfigMap, labelSelector: {matchLabels: {app: till}}}\n- {group: "", version: v1, kind: Service}',
      ['ConfigMap shop/prices', 'Service shop/till'],
    ],
    ['nothing from another namespace', '- {group: "", version: v1, kind: ConfigMap, name: posts}', []],
  ])('%s', async (_, selectors, expected) => {
    const { plan: printed } = await selectedBy(rp(selectors));
    expect(selected(printed, 'shop.web')).toEqual(expected);
  });
});

describe('a wrong selection is Scheduled=False/InvalidResourceSelectors and takes no snapshot', () => {
  it.each<[string, string, RegExp]>([
    [
      'the same object selected twice',
      crp(
        '- {group: "", version: v1, kind: Namespace, name: shop}\n- {group: "", version: v1, kind: Namespace, labelSelector: {matchLabels: {team: web}}}',
      ),
      /duplicate resource/,
    ],
    [
      'a reserved namespace',
      crp('- {group: "", version: v1, kind: Namespace, name: kube-system}'),
      /kube-system is not allowed/,
    ],
    [
      'a reserved namespace among those with the label',
      crp(
        '- {group: "", version: v1, kind: Namespace, labelSelector: {matchExpressions: [{key: team, operator: Exists}]}}',
      ),
      /fleet-x is not allowed/,
    ],
    [
      'a namespaced kind in a ClusterResourcePlacement',
      crp('- {group: apps, version: v1, kind: Deployment, name: till}'),
      /namespace-scoped/,
    ],
    [
      'a cluster-scoped kind in a ResourcePlacement',
      rp('- {group: "", version: v1, kind: Namespace, name: shop}'),
      /cluster-scoped/,
    ],
    [
      'NamespaceWithResourceSelectors without its namespace',
      crp(
        '- {group: "", version: v1, kind: Namespace, name: nowhere, selectionScope: NamespaceWithResourceSelectors}\n- {group: "", version: v1, kind: ConfigMap}',
      ),
      /no namespaces/,
    ],
  ])('%s', async (_, web, message) => {
    const {
      plan: printed,
      placement,
      code,
    } = await selectedBy(web, [...hub, object('Namespace', 'fleet-x', undefined, '  labels: {team: platform}')]);
    expect(conditionLines(placement().conditions)).toEqual(['Scheduled False InvalidResourceSelectors']);
    expect(placement().scheduled).toEqual({
      status: 'False',
      reason: 'InvalidResourceSelectors',
      message: expect.stringMatching(message),
    });
    expect(placement()).toMatchObject({ decisions: [], bindings: [] });
    expect(placement().policySnapshotIndex).toBeUndefined();
    expect(placement().resourceSnapshotIndex).toBeUndefined();
    expect(printed.targets).toEqual([]);
    expect(printed.problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'invalid-resource-selectors',
        file: 'web.yaml',
        line: expect.any(Number),
        column: expect.any(Number),
        path: expect.stringMatching(/^spec\.resourceSelectors\.\d+$/),
        message: expect.stringMatching(message),
      }),
    ]);
    expect(code).toBe(2);
  });

  it('leaves what runs as it is, under the policy it was scheduled with', async () => {
    const repo = (selectors: string, policy: string) => ({
      'c.yaml': [member('a'), member('b', { labels: { env: 'dev' } })],
      'resources/all.yaml': hub,
      'web.yaml': crp(selectors).replace('policy: {placementType: PickAll}', `policy: {${policy}}`),
    });
    const good = '- {group: "", version: v1, kind: Namespace, name: shop}';
    const first = await plan({ repo: repo(good, 'placementType: PickAll') });
    expect(first.placement().bindings).toHaveLength(2);
    const dev =
      'placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: dev}}}]}}}';
    const next = await plan({ repo: repo(`${good}\n${good}`, dev), recorded: first.recorded });
    expect(next.placement().scheduled.reason).toBe('InvalidResourceSelectors');
    expect(next.placement()).toMatchObject({ policySnapshotIndex: 0, resourceSnapshotIndex: 0 });
    expect(next.placement().bindings.map(({ clusterName, state, move }) => `${clusterName} ${state} ${move}`)).toEqual([
      'a Bound keep',
      'b Bound keep',
    ]);
    // the other conditions stay as they were
    expect(conditionLines(next.placement().conditions).slice(0, 2)).toEqual([
      'Scheduled False InvalidResourceSelectors',
      'RolloutStarted True RolloutStarted',
    ]);
  });
});
