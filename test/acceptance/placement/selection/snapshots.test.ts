import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { member, plan } from '../../../support/plan-command.ts';
import { crp, object, selected, selectedBy, snapshot } from './hub.ts';

it('leaves out what a cluster makes for itself, and what is on its way out', async () => {
  const owner = '  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: till, uid: u}]';
  const { plan: printed } = await selectedBy(crp('- {group: "", version: v1, kind: Namespace, name: shop}'), [
    object('Namespace', 'shop'),
    object('ConfigMap', 'kube-root-ca.crt', 'shop'),
    object('ConfigMap', 'kept', 'shop'),
    object('ServiceAccount', 'default', 'shop'),
    object('ServiceAccount', 'till', 'shop'),
    object('Secret', 'token', 'shop', 'type: kubernetes.io/service-account-token'),
    object('Secret', 'password', 'shop', 'type: Opaque'),
    object('apps/v1 ReplicaSet', 'owned', 'shop', owner),
    object('apps/v1 ReplicaSet', 'free', 'shop'),
    object('apps/v1 ControllerRevision', 'owned', 'shop', owner),
    object('PersistentVolumeClaim', 'disk', 'shop'),
    object('Pod', 'lonely', 'shop'),
    object('Endpoints', 'till', 'shop'),
    object('Endpoints', 'outside', 'shop'),
    object('Service', 'till', 'shop'),
    object(
      'discovery.k8s.io/v1 EndpointSlice',
      'managed',
      'shop',
      '  labels: {endpointslice.kubernetes.io/managed-by: x}',
    ),
    object('discovery.k8s.io/v1 EndpointSlice', 'own', 'shop'),
    object('events.k8s.io/v1 Event', 'e1', 'shop'),
    object('Event', 'e2', 'shop'),
    object('coordination.k8s.io/v1 Lease', 'l', 'shop'),
    object('networking.fleet.azure.com/v1alpha1 ServiceImport', 'i', 'shop'),
    object('networking.fleet.azure.com/v1alpha1 ServiceExport', 'x', 'shop'),
    object('ConfigMap', 'dying', 'shop', '  deletionTimestamp: "2026-11-20T09:00:00Z"'),
  ]);
  expect(selected(printed)).toEqual([
    'Namespace shop',
    'ServiceAccount shop/till',
    'Secret shop/password',
    'ConfigMap shop/kept',
    'PersistentVolumeClaim shop/disk',
    'Service shop/till',
    'ReplicaSet shop/free',
    // unknown kinds last, by group/version and kind as Go prints them: "/v1, Kind=…" is before "discovery.k8s.io/v1, …"
    'Endpoints shop/outside',
    'Event shop/e2',
    'EndpointSlice shop/own',
    'ServiceExport shop/x',
  ]);
});

it('orders known kinds by the list, whatever their group, then by namespace and name', async () => {
  const kinds = [
    'batch/v1 CronJob',
    'apps/v1 StatefulSet',
    'batch/v1 Job',
    'autoscaling/v2 HorizontalPodAutoscaler',
    'networking.k8s.io/v1 Ingress',
    'apps/v1 DaemonSet',
    'ReplicationController',
    'rbac.authorization.k8s.io/v1 RoleBinding',
    'rbac.authorization.k8s.io/v1 Role',
    'policy/v1 PodDisruptionBudget',
    'LimitRange',
    'ResourceQuota',
    'networking.k8s.io/v1 NetworkPolicy',
    'example.com/v1 Deployment',
    'apps/v1 Deployment',
    'example.com/v1 Widget',
    'example.com/v1 Gadget',
  ];
  const { plan: printed } = await selectedBy(crp('- {group: "", version: v1, kind: Namespace, name: shop}'), [
    ...kinds.flatMap((kind) => [object(kind, 'b', 'shop'), object(kind, 'a', 'shop')]),
    object('Namespace', 'shop'),
  ]);
  const once = selected(printed).filter((_, at) => at % 2 === 1);
  expect(selected(printed)[0]).toBe('Namespace shop');
  expect(once).toEqual([
    'NetworkPolicy shop/a',
    'ResourceQuota shop/a',
    'LimitRange shop/a',
    'PodDisruptionBudget shop/a',
    'Role shop/a',
    'RoleBinding shop/a',
    'DaemonSet shop/a',
    'ReplicationController shop/a',
    // inside a kind by group and version: apps/v1 before example.com/v1
    'Deployment shop/a',
    'Deployment shop/a',
    'HorizontalPodAutoscaler shop/a',
    'StatefulSet shop/a',
    'Job shop/a',
    'CronJob shop/a',
    'Ingress shop/a',
    'Gadget shop/a',
    'Widget shop/a',
  ]);
});

it('takes out of a manifest what a server or kubectl wrote into it, and nothing else', async () => {
  const { plan: printed } = await selectedBy(crp('- {group: "", version: v1, kind: Namespace, name: shop}'), [
    object('Namespace', 'shop'),
    `apiVersion: v1
kind: Service
metadata:
  name: till
  namespace: shop
  uid: 1-2
  resourceVersion: "7"
  generation: 3
  creationTimestamp: "2026-01-01T00:00:00Z"
  selfLink: /x
  finalizers: [keep.me/here]
  managedFields: [{manager: kubectl}]
  ownerReferences: [{apiVersion: v1, kind: X, name: b, uid: c}]
  annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}", deployment.kubernetes.io/revision: "3"}
spec:
  clusterIP: 10.0.0.1
  clusterIPs: [10.0.0.1]
  healthCheckNodePort: 30001
  ports: [{port: 80, nodePort: 30080}]
status: {loadBalancer: {}}`,
    object(
      'Service',
      'headless',
      'shop',
      'spec: {clusterIP: None, clusterIPs: [None], ports: [{port: 80, nodePort: 1}]}',
    ),
    `apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: shop, annotations: {keep: me, deployment.kubernetes.io/revision: "1"}}
spec:
  selector: {matchLabels: {controller-uid: u, batch.kubernetes.io/controller-uid: u, mine: x}}
  template:
    metadata: {creationTimestamp: null, labels: {controller-uid: u, mine: x}}
    spec: {restartPolicy: Never}`,
    `apiVersion: batch/v1
kind: Job
metadata: {name: own, namespace: shop}
spec:
  manualSelector: true
  selector: {matchLabels: {controller-uid: u}}`,
  ]);
  expect(snapshot(printed)).toEqual([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'headless', namespace: 'shop' },
      spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 80 }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'till', namespace: 'shop', finalizers: ['keep.me/here'] },
      spec: { ports: [{ port: 80 }] },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once', namespace: 'shop', annotations: { keep: 'me' } },
      spec: {
        selector: { matchLabels: { mine: 'x' } },
        template: { metadata: { labels: { mine: 'x' } }, spec: { restartPolicy: 'Never' } },
      },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'own', namespace: 'shop' },
      spec: { manualSelector: true, selector: { matchLabels: { 'controller-uid': 'u' } } },
    },
  ]);
});

describe('resource snapshots', () => {
  const repo = (value: string, rest = '') => ({
    'c.yaml': member('a'),
    'resources/all.yaml': [object('Namespace', 'shop'), object('ConfigMap', 'c', 'shop', `data: {a: "${value}"}`)],
    'web.yaml': crp('- {group: "", version: v1, kind: Namespace, name: shop}', rest),
  });
  const indexes = (recorded: Readonly<Record<string, string>>): string =>
    (
      parse(recorded['placements/web/state.yaml']!) as { resourceSnapshots: { index: number; latest?: boolean }[] }
    ).resourceSnapshots
      .map(({ index, latest }) => `${index}${latest ? '*' : ''}`)
      .join(' ');

  it('a new index for new contents, also when they return; none for an edit that changes nothing selected', async () => {
    const one = await plan({ repo: repo('1') });
    const two = await plan({ repo: repo('2'), recorded: one.recorded });
    const back = await plan({ repo: repo('1'), recorded: two.recorded });
    const other = await plan({
      repo: { ...repo('1'), 'resources/other.yaml': object('Namespace', 'other') },
      recorded: back.recorded,
    });
    expect([one, two, back, other].map(({ recorded }) => indexes(recorded))).toEqual([
      '0*',
      '0 1*',
      '0 1 2*',
      '0 1 2*',
    ]);
    expect(back.placement().resourceSnapshotIndex).toBe(2);
  });

  it('revisionHistoryLimit counts the new one; what is in use stays', async () => {
    const limit = '  revisionHistoryLimit: 1\n  strategy: {rollingUpdate: {maxUnavailable: 0}}';
    const one = await plan({ repo: repo('1', limit) });
    const two = await plan({ repo: repo('2', limit), recorded: one.recorded });
    // the cluster still runs 0
    expect(indexes(two.recorded)).toBe('0 1*');
    const three = await plan({ repo: repo('3', limit), recorded: two.recorded });
    expect(indexes(three.recorded)).toBe('0 2*');
  });

  it('nothing selected is an empty snapshot', async () => {
    const { plan: printed, placement } = await selectedBy(
      crp('- {group: "", version: v1, kind: Namespace, name: nowhere}'),
    );
    expect(placement().resourceSnapshotIndex).toBe(0);
    expect(printed.targets[0]).toMatchObject({ clusterName: 'a', remove: false, objects: [] });
  });

  it('counts the 800 KiB parts and the envelopes that a hub would have', async () => {
    const big = (name: string): string => object('ConfigMap', name, 'shop', `data: {a: "${'x'.repeat(500 * 1024)}"}`);
    const envelope = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceEnvelope
metadata: {name: box, namespace: shop}
data:
  cm.yaml: {apiVersion: v1, kind: ConfigMap, metadata: {name: inner, namespace: shop}}`;
    const { recorded } = await plan({
      repo: {
        'c.yaml': member('a'),
        'resources/ns.yaml': object('Namespace', 'shop'),
        'resources/b1.yaml': big('b1'),
        'resources/b2.yaml': big('b2'),
        'resources/b3.yaml': envelope,
        'web.yaml': crp('- {group: "", version: v1, kind: Namespace, name: shop}'),
      },
    });
    const { resourceSnapshots } = parse(recorded['placements/web/state.yaml']!) as { resourceSnapshots: object[] };
    expect(resourceSnapshots).toEqual([
      expect.objectContaining({ index: 0, latest: true, numberOfResourceSnapshots: 2, numberOfEnvelopedObjects: 1 }),
    ]);
  });
});
