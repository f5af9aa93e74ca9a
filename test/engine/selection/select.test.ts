import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileHub } from '../../../src/engine/selection/hub.ts';
import { selectResources } from '../../../src/engine/selection/select.ts';
import { drawn } from '../../support/law-runs.ts';
import { crp, digest, identityOf, object, onHub, rp, selected } from './world.ts';

const repo = [
  object('v1 Namespace shop', {}, { labels: { team: 'shop' } }),
  object('v1 ConfigMap shop/web', {}, { labels: { app: 'web' } }),
  object('v1 Secret shop/web'),
  object('apps/v1 Deployment shop/web', {}, { labels: { app: 'web' } }),
  object('apps/v1 Deployment shop/cart', {}, { labels: { app: 'cart' } }),
  object('v1 Namespace pay', {}, { labels: { team: 'pay' } }),
  object('v1 ConfigMap pay/api'),
  object('rbac.authorization.k8s.io/v1 ClusterRole reader', {}, { labels: { app: 'web' } }),
  object('rbac.authorization.k8s.io/v1 ClusterRole writer'),
];
const namespace = { kind: 'Namespace' };
const clusterRole = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
const deployment = { group: 'apps', kind: 'Deployment' };
const shop = [
  'v1 Namespace shop',
  'v1 Secret shop/web',
  'v1 ConfigMap shop/web',
  'apps/v1 Deployment shop/cart',
  'apps/v1 Deployment shop/web',
];

describe('what selectors select', () => {
  test.each([
    ['a namespace by name selects everything in it', crp({ ...namespace, name: 'shop' }), shop],
    [
      'namespaces by label select everything in them',
      crp({ ...namespace, labelSelector: { matchLabels: { team: 'shop' } } }),
      shop,
    ],
    [
      'a namespace selector without name and labels is every namespace',
      crp(namespace),
      [
        'v1 Namespace pay',
        'v1 Namespace shop',
        'v1 Secret shop/web',
        'v1 ConfigMap pay/api',
        'v1 ConfigMap shop/web',
        'apps/v1 Deployment shop/cart',
        'apps/v1 Deployment shop/web',
      ],
    ],
    [
      'NamespaceOnly is the namespace alone',
      crp({ ...namespace, name: 'shop', selectionScope: 'NamespaceOnly' }),
      ['v1 Namespace shop'],
    ],
    [
      'NamespaceWithResourceSelectors limits namespaced kinds to that namespace and leaves cluster-scoped ones alone',
      crp(
        { ...namespace, name: 'shop', selectionScope: 'NamespaceWithResourceSelectors' },
        { kind: 'ConfigMap' },
        { ...deployment, labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['cart'] }] } },
        { ...clusterRole, name: 'writer' },
      ),
      [
        'v1 Namespace shop',
        'v1 ConfigMap shop/web',
        'rbac.authorization.k8s.io/v1 ClusterRole writer',
        'apps/v1 Deployment shop/cart',
      ],
    ],
    [
      'a cluster-scoped kind by labels',
      crp({ ...clusterRole, labelSelector: { matchLabels: { app: 'web' } } }),
      ['rbac.authorization.k8s.io/v1 ClusterRole reader'],
    ],
    [
      'a kind without name and labels is every object of it',
      crp(clusterRole),
      ['rbac.authorization.k8s.io/v1 ClusterRole reader', 'rbac.authorization.k8s.io/v1 ClusterRole writer'],
    ],
    ['a name that does not exist selects nothing', crp({ ...clusterRole, name: 'nobody' }), []],
    ['a namespace that does not exist selects nothing', crp({ ...namespace, name: 'nowhere' }), []],
    ['an unknown kind selects nothing', crp({ group: 'example.com', kind: 'Widget' }), []],
    ['a disabled kind is skipped', crp({ kind: 'Node' }, { group: 'coordination.k8s.io', kind: 'Lease' }), []],
    [
      'a ResourcePlacement selects in its own namespace',
      rp({ kind: 'ConfigMap' }, { ...deployment, name: 'web' }),
      ['v1 ConfigMap shop/web', 'apps/v1 Deployment shop/web'],
    ],
    ['a ResourcePlacement does not see other namespaces', rp({ kind: 'ConfigMap', name: 'api' }), []],
  ])('%s', (_, placement, expected) => {
    expect(selected(placement, repo)).toEqual(expected);
  });
});

describe('user errors', () => {
  const withKubeSystem = [...repo, object('v1 Namespace kube-system', {}, { labels: { team: 'shop' } })];
  test.each([
    [
      'a namespaced kind without a selected namespace',
      crp(deployment),
      repo,
      'invalid ClusterResourcePlacement web: cannot select the namespace-scoped resource apps/Deployment without a selected namespace: add a Namespace selector by name with selectionScope NamespaceWithResourceSelectors, or use a ResourcePlacement',
    ],
    [
      'a cluster-scoped kind in a ResourcePlacement',
      rp(clusterRole),
      repo,
      'invalid ResourcePlacement shop/web: cannot select the cluster-scoped resource rbac.authorization.k8s.io/ClusterRole in a ResourcePlacement',
    ],
    [
      'a Namespace in a ResourcePlacement',
      rp({ ...namespace, name: 'shop' }),
      repo,
      'invalid ResourcePlacement shop/web: cannot select the cluster-scoped resource Namespace in a ResourcePlacement',
    ],
    [
      'the same object selected twice',
      crp(clusterRole, { ...clusterRole, name: 'reader' }),
      repo,
      'invalid ClusterResourcePlacement web: found duplicate resource: rbac.authorization.k8s.io/v1 ClusterRole reader is selected more than once',
    ],
    [
      'a reserved namespace by name, also one that is not there',
      crp({ ...namespace, name: 'fleet-system' }),
      repo,
      'invalid ClusterResourcePlacement web: namespace fleet-system is not allowed to propagate: "default" and names that begin with "kube-" or "fleet-" are reserved',
    ],
    [
      'a reserved namespace among those that labels select fails the whole selection',
      crp({ ...namespace, labelSelector: { matchLabels: { team: 'shop' } } }),
      withKubeSystem,
      'invalid ClusterResourcePlacement web: namespace kube-system is not allowed to propagate: "default" and names that begin with "kube-" or "fleet-" are reserved',
    ],
    [
      'NamespaceWithResourceSelectors with a namespace that is not there',
      crp({ ...namespace, name: 'nowhere', selectionScope: 'NamespaceWithResourceSelectors' }, { kind: 'ConfigMap' }),
      repo,
      'invalid ClusterResourcePlacement web: NamespaceWithResourceSelectors needs exactly one namespace, but no namespaces were selected ("nowhere" does not exist, is being deleted, or is reserved)',
    ],
    [
      'NamespaceWithResourceSelectors with a reserved namespace',
      crp({ ...namespace, name: 'kube-system', selectionScope: 'NamespaceWithResourceSelectors' }),
      withKubeSystem,
      'invalid ClusterResourcePlacement web: NamespaceWithResourceSelectors needs exactly one namespace, but no namespaces were selected ("kube-system" does not exist, is being deleted, or is reserved)',
    ],
    [
      'NamespaceWithResourceSelectors with several namespaces',
      crp({ ...namespace, selectionScope: 'NamespaceWithResourceSelectors' }),
      repo,
      'invalid ClusterResourcePlacement web: NamespaceWithResourceSelectors needs exactly one namespace, but 2 namespaces were selected',
    ],
    [
      'a version that the repo does not hold, while it holds another',
      crp({ ...clusterRole, version: 'v1beta1' }),
      repo,
      'invalid ClusterResourcePlacement web: no ClusterRole of rbac.authorization.k8s.io/v1beta1 is under resources/, only rbac.authorization.k8s.io/v1: select that version',
    ],
    [
      'a misspelt kind of the core group',
      crp({ kind: 'Namespaces', name: 'shop' }),
      repo,
      'invalid ClusterResourcePlacement web: there is no kind Namespaces in the core group: did you mean Namespace?',
    ],
    [
      'a kind that stands in another group',
      rp({ group: 'apps', kind: 'CronJob' }),
      repo,
      'invalid ResourcePlacement shop/web: there is no kind CronJob in apps: write group: batch',
    ],
    [
      'a kind of the core group, by the name that people call it',
      crp({ group: 'core', kind: 'Namespace', name: 'shop' }),
      repo,
      'invalid ClusterResourcePlacement web: there is no kind Namespace in core: write group: ""',
    ],
    [
      'a kind in a misspelt group',
      rp({ group: 'app', kind: 'Deployment' }),
      repo,
      'invalid ResourcePlacement shop/web: there is no kind Deployment in app: write group: apps',
    ],
  ])('%s', (_, placement, manifests, message) => {
    expect(selected(placement, manifests)).toBe(message);
  });

  test('a kind of another group than Kubernetes’ own, without CRD and object, selects nothing: its last object may be removed', () => {
    expect(selected(crp({ group: 'example.com', kind: 'Widget' }), repo)).toEqual([]);
  });

  test('a reserved Namespace is selectable alone', () => {
    expect(
      selected(crp({ ...namespace, name: 'kube-system', selectionScope: 'NamespaceOnly' }), withKubeSystem),
    ).toEqual(['v1 Namespace kube-system']);
  });
});

describe('what selecting a namespace never includes', () => {
  const owned = { ownerReferences: [{ kind: 'Deployment', name: 'web' }] };
  test.each([
    [
      'an object being deleted',
      object('v1 ConfigMap shop/x', {}, { deletionTimestamp: '2026-11-20T10:00:00Z' }),
      false,
    ],
    ['an owned ReplicaSet', object('apps/v1 ReplicaSet shop/x', {}, owned), false],
    ['a ReplicaSet of its own', object('apps/v1 ReplicaSet shop/x'), true],
    ['an owned ControllerRevision', object('apps/v1 ControllerRevision shop/x', {}, owned), false],
    ['the root CA of the cluster', object('v1 ConfigMap shop/kube-root-ca.crt'), false],
    ['the default service account', object('v1 ServiceAccount shop/default'), false],
    ['a service account token', object('v1 Secret shop/x', { type: 'kubernetes.io/service-account-token' }), false],
    ['any other secret', object('v1 Secret shop/x', { type: 'Opaque' }), true],
    ['a PersistentVolumeClaim', object('v1 PersistentVolumeClaim shop/x'), true],
    ['Endpoints of a Service', object('v1 Endpoints shop/svc'), false],
    ['Endpoints without a Service', object('v1 Endpoints shop/x'), true],
    [
      'a managed EndpointSlice',
      object(
        'discovery.k8s.io/v1 EndpointSlice shop/x',
        {},
        { labels: { 'endpointslice.kubernetes.io/managed-by': 'me' } },
      ),
      false,
    ],
    ['an EndpointSlice of its own', object('discovery.k8s.io/v1 EndpointSlice shop/x'), true],
    ['a Pod', object('v1 Pod shop/x'), false],
    ['a PodDisruptionBudget', object('policy/v1 PodDisruptionBudget shop/x'), true],
    ['a core Event', object('v1 Event shop/x'), true],
    ['an event of events.k8s.io', object('events.k8s.io/v1 Event shop/x'), false],
    ['a Lease', object('coordination.k8s.io/v1 Lease shop/x'), false],
    ['metrics', object('metrics.k8s.io/v1beta1 PodMetrics shop/x'), false],
    ['a ServiceImport', object('networking.fleet.azure.com/v1alpha1 ServiceImport shop/x'), false],
    ['a ServiceExport', object('networking.fleet.azure.com/v1alpha1 ServiceExport shop/x'), true],
    ['a placement', object('placement.kubernetes-fleet.io/v1beta1 ResourcePlacement shop/x'), false],
    ['an envelope', object('placement.kubernetes-fleet.io/v1beta1 ResourceEnvelope shop/x'), true],
  ])('%s', (_, candidate, placed) => {
    const hub = [object('v1 Namespace shop'), object('v1 Service shop/svc'), candidate];
    const names = selected(crp({ ...namespace, name: 'shop' }), hub);
    expect(names.includes(identityOf(candidate))).toBe(placed);
  });

  test('a namespace being deleted selects nothing', () => {
    const deleting = object('v1 Namespace shop', {}, { deletionTimestamp: '2026-11-20T10:00:00Z' });
    expect(selected(crp({ ...namespace, name: 'shop' }), [deleting, object('v1 ConfigMap shop/web')])).toEqual([]);
  });
});

describe('scope of a kind', () => {
  const crd = (scope: string) =>
    object('apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com', {
      spec: { group: 'example.com', scope, names: { kind: 'Widget' } },
    });
  test('a CRD in the repo defines it, also without any object', () => {
    expect(selected(rp({ group: 'example.com', kind: 'Widget' }), [crd('Cluster')])).toMatch(/cluster-scoped/);
    expect(selected(crp({ group: 'example.com', kind: 'Widget' }), [crd('Namespaced')])).toMatch(/namespace-scoped/);
  });
  test('without a CRD the objects define it', () => {
    const widget = object('example.com/v1 Widget shop/one');
    expect(selected(crp({ group: 'example.com', kind: 'Widget' }), [widget])).toMatch(/namespace-scoped/);
    expect(selected(rp({ group: 'example.com', kind: 'Widget' }), [widget])).toEqual([
      'example.com/v1 Widget shop/one',
    ]);
  });
});

describe('the selection as a value', () => {
  const select = (placement: ReturnType<typeof crp>, manifests: typeof repo) =>
    selectResources({ placement, hub: compileHub(manifests.map(onHub)), digest });

  test('of more than its file on the status branch can hold is a user error', () => {
    const large = (objects: number) =>
      Array.from({ length: objects }, (_, at) =>
        object(`v1 ConfigMap shop/c-${at}`, { data: { x: 'x'.repeat(2 ** 20) } }),
      );
    const all = crp({ ...namespace, name: 'shop' });
    expect(select(all, [repo[0]!, ...large(15)])).toMatchObject({ ok: true });
    expect(select(all, [repo[0]!, ...large(16)])).toEqual({
      ok: false,
      message:
        'invalid ClusterResourcePlacement web: it selects 17 objects with 17 MiB, of at most 16 MiB: divide them among several placements',
    });
  });

  test('identifiers name envelopes themselves and leave out the core group', () => {
    const hub = [
      object('placement.kubernetes-fleet.io/v1beta1 ClusterResourceEnvelope guard', {
        data: { one: object('v1 Namespace inner') },
      }),
      object('v1 PersistentVolume disk'),
    ];
    const placement = crp(
      { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', kind: 'ClusterResourceEnvelope' },
      { kind: 'PersistentVolume' },
    );
    expect(select(placement, hub)).toMatchObject({
      ok: true,
      identifiers: [
        { version: 'v1', kind: 'PersistentVolume', name: 'disk' },
        { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', kind: 'ClusterResourceEnvelope', name: 'guard' },
      ],
    });
  });

  test('the hash is that of the JSON of the selected resources', () => {
    const selection = select(crp({ ...clusterRole, name: 'writer' }), repo);
    const json =
      '{"selectedResources":[{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"writer"}}]}';
    expect(selection).toMatchObject({ hash: digest(json) });
  });

  test('the order of files and of keys changes nothing', () => {
    const placement = () => crp(namespace, clusterRole);
    const expected = select(placement(), repo);
    const reversed = (manifest: (typeof repo)[number]) =>
      Object.fromEntries(Object.entries(manifest).reverse()) as typeof manifest;
    fc.assert(
      fc.property(fc.shuffledSubarray(repo, { minLength: repo.length }), (shuffled) => {
        expect(select(placement(), shuffled.map(reversed))).toEqual(expected);
      }),
      drawn(),
    );
  });

  test('any change of content changes the hash', () => {
    const changed = repo.map((manifest) =>
      manifest.kind === 'Secret' ? { ...manifest, data: { a: 'Yg==' } } : manifest,
    );
    const before = select(crp(namespace), repo);
    const after = select(crp(namespace), changed);
    expect(before.ok && after.ok && before.hash !== after.hash).toBe(true);
  });

  test('the same placement over unchanged contents gets the same value again', () => {
    const placement = crp({ ...namespace, name: 'shop' });
    const objects = repo.map(onHub);
    const before = selectResources({ placement, hub: compileHub(objects), digest });
    const more = [...objects, onHub(object('v1 Namespace other'))];
    expect(selectResources({ placement, hub: compileHub(more), digest })).toBe(before);
  });

  test('labels are found by index as they are by matching', () => {
    const labels = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2'));
    const requirement = fc.record({
      key: fc.constantFrom('a', 'b'),
      operator: fc.constantFrom('In' as const, 'NotIn' as const),
      values: fc.subarray(['1', '2'], { minLength: 1 }),
    });
    fc.assert(
      fc.property(
        fc.array(labels, { minLength: 20, maxLength: 40 }),
        labels,
        fc.array(requirement),
        (all, want, more) => {
          const hub = all.map((own, at) => object(`v1 PersistentVolume p${at}`, {}, { labels: own }));
          const expected = hub.filter(({ metadata }) => {
            const own = metadata.labels ?? {};
            return (
              Object.entries(want).every(([key, value]) => own[key] === value) &&
              more.every(({ key, operator, values }) => values.includes(own[key] ?? '') === (operator === 'In'))
            );
          });
          const placement = crp({
            kind: 'PersistentVolume',
            labelSelector: { matchLabels: want, matchExpressions: more },
          });
          expect([...selected(placement, hub)].sort()).toEqual(expected.map(identityOf).sort());
        },
      ),
      drawn(),
    );
  });
});
