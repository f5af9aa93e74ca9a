import { expect, test } from 'vitest';
import { contentOf, normalise } from '../../../src/engine/selection/normalise.ts';
import { object, onHub } from './world.ts';

test('a manifest without anything to strip is the same value', () => {
  const manifest = object('apps/v1 Deployment shop/web', { spec: { replicas: 2 }, extra: { kept: true } });
  expect(normalise(manifest)).toBe(manifest);
});

test('fields that a server or kubectl wrote are removed, everything else stays', () => {
  const manifest = object(
    'example.com/v1 Widget shop/web',
    { spec: { status: 'kept' }, status: { ready: true }, custom: [1] },
    {
      resourceVersion: '7',
      generation: 3,
      uid: 'u',
      selfLink: '/x',
      deletionTimestamp: null,
      managedFields: [],
      creationTimestamp: null,
      ownerReferences: [{}],
      finalizers: ['keep/me'],
      labels: { app: 'web' },
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'deployment.kubernetes.io/revision': '4',
        note: 'kept',
      },
    },
  );
  expect(normalise(manifest)).toEqual({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      name: 'web',
      namespace: 'shop',
      finalizers: ['keep/me'],
      labels: { app: 'web' },
      annotations: { note: 'kept' },
    },
    spec: { status: 'kept' },
    custom: [1],
  });
});

test.each([
  ['none but those of tools', { 'deployment.kubernetes.io/revision': '1' }],
  ['none at all', {}],
])('annotations are dropped when there are %s', (_, annotations) => {
  expect(normalise(object('v1 ConfigMap shop/web', {}, { annotations }))).toEqual(object('v1 ConfigMap shop/web'));
});

test.each([
  [
    'addresses and ports of a hub',
    {
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      healthCheckNodePort: 31_000,
      ports: [{ port: 80, nodePort: 30_000 }],
    },
    { ports: [{ port: 80 }] },
  ],
  [
    'a headless service stays headless',
    { clusterIP: 'None', clusterIPs: ['None'] },
    { clusterIP: 'None', clusterIPs: ['None'] },
  ],
])('Service: %s', (_, spec, expected) => {
  expect(normalise(object('v1 Service shop/web', { spec }))['spec']).toEqual(expected);
});

const job = (spec: object) => ({
  ...spec,
  selector: { matchLabels: { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u', app: 'x' } },
  template: {
    metadata: {
      creationTimestamp: null,
      labels: { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u', app: 'x' },
    },
    spec: {},
  },
});

test('Job: the selector that an API server wrote is removed', () => {
  expect(normalise(object('batch/v1 Job shop/x', { spec: job({}) }))['spec']).toEqual({
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: {} },
  });
});

test('Job: a manual selector stays', () => {
  const manifest = object('batch/v1 Job shop/x', { spec: job({ manualSelector: true }) });
  expect(normalise(manifest)).toBe(manifest);
});

test('other kinds called Service or Job are left alone', () => {
  const manifest = object('serving.knative.dev/v1 Service shop/x', { spec: { clusterIP: '10.0.0.1' } });
  expect(normalise(manifest)).toBe(manifest);
});

test('a ConfigMap envelope goes into the snapshot with its manifests as JSON text', () => {
  const envelope = object(
    'v1 ConfigMap shop/bundle',
    { data: { role: 'kind: Role\n' } },
    { annotations: { 'kubernetes-fleet.io/envelope-configmap': 'true' } },
  );
  const hub = { ...onHub(envelope), enveloped: { role: object('rbac.authorization.k8s.io/v1 Role shop/r') } };
  expect(contentOf(hub)['data']).toEqual({
    role: '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r","namespace":"shop"}}',
  });
  expect(contentOf(hub)).toBe(contentOf(hub));
});
