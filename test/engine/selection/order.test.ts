import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countGroups } from '../../../src/engine/selection/groups.ts';
import { inSnapshotOrder } from '../../../src/engine/selection/order.ts';
import { lastWave, waveOf } from '../../../src/engine/selection/waves.ts';
import { drawn } from '../../support/law-runs.ts';
import { identityOf, object } from './world.ts';

const ordered = [
  'scheduling.k8s.io/v1 PriorityClass high',
  'v1 Namespace a',
  'v1 Namespace b',
  'v1 Secret a/z',
  'v1 Secret b/a',
  // Matched by kind alone, then by group and version.
  'networking.k8s.io/v1 Ingress a/x',
  'zeta.io/v1 Ingress a/a',
  'apiregistration.k8s.io/v1 APIService v1.x',
  // Unknown kinds last, by group, version and kind.
  '/v1 Thing a',
  'alpha.io/v1 Zebra a',
  'alpha.io/v1beta1 Apple a',
  'beta.io/v1 Apple a/a',
  'beta.io/v1 Apple a/b',
].map((identity) => object(identity.replace(/^\/v1/, 'v1')));

test('known kinds in their order, unknown ones last, whatever the order before', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
      expect(inSnapshotOrder(shuffled).map(identityOf)).toEqual(ordered.map(identityOf));
    }),
    drawn(),
  );
});

test.each<[wave: number, group: string, kinds: string]>([
  [0, '', 'Namespace'],
  [0, 'scheduling.k8s.io', 'PriorityClass'],
  [1, '', 'ResourceQuota LimitRange ServiceAccount Secret ConfigMap PersistentVolume PersistentVolumeClaim'],
  [1, 'networking.k8s.io', 'NetworkPolicy IngressClass'],
  [1, 'policy', 'PodSecurityPolicy PodDisruptionBudget'],
  [1, 'storage.k8s.io', 'StorageClass'],
  [1, 'apiextensions.k8s.io', 'CustomResourceDefinition'],
  [2, 'rbac.authorization.k8s.io', 'ClusterRole Role'],
  [3, 'rbac.authorization.k8s.io', 'ClusterRoleBinding RoleBinding'],
  [4, '', 'Service Pod ReplicationController'],
  [4, 'apps', 'DaemonSet ReplicaSet Deployment StatefulSet'],
  [4, 'autoscaling', 'HorizontalPodAutoscaler'],
  [4, 'batch', 'Job CronJob'],
  [4, 'networking.k8s.io', 'Ingress'],
  [5, 'apiregistration.k8s.io', 'APIService'],
  [5, 'admissionregistration.k8s.io', 'ValidatingWebhookConfiguration MutatingWebhookConfiguration'],
  [lastWave, '', 'Endpoints Event'],
  [lastWave, 'rbac.authorization.k8s.io', 'Unheard'],
  [lastWave, 'storage.k8s.io', 'CSIDriver'],
  // Known names in groups that are not.
  [lastWave, 'serving.knative.dev', 'Service'],
  [lastWave, 'extensions', 'Ingress'],
  [lastWave, 'example.com', 'Widget'],
])('wave %i of %j: %s', (wave, group, kinds) => {
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  expect(kinds.split(' ').map((kind) => waveOf({ apiVersion, kind }))).toEqual(kinds.split(' ').map(() => wave));
});

test.each([
  ['nothing is one empty group', [], 1],
  ['what fits together stays together', [300, 400], 1],
  ['the first that does not fit starts a group', [300, 400, 200], 2],
  ['an object larger than a group is alone', [10, 900, 10], 3],
])('groups of 800 KiB: %s', (_, sizes, expected) => {
  const manifests = sizes.map((kib, at) => object(`v1 ConfigMap a/m${at}`, { data: { x: 'x'.repeat(kib * 1024) } }));
  expect(countGroups(manifests)).toBe(expected);
});

test('groups are measured in bytes, not characters', () => {
  const manifest = (name: string) => object(`v1 ConfigMap a/${name}`, { data: { x: '€'.repeat(200 * 1024) } });
  expect(countGroups([manifest('a'), manifest('b')])).toBe(2);
});
