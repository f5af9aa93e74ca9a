import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countGroups } from '../../../src/engine/selection/groups.ts';
import { inSnapshotOrder } from '../../../src/engine/selection/order.ts';
import { lastWave, waveOf } from '../../../src/engine/selection/waves.ts';
import { drawn } from '../../drawn.ts';
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

test.each([
  ['v1 Namespace', 0],
  ['scheduling.k8s.io/v1 PriorityClass', 0],
  ['v1 Secret', 1],
  ['networking.k8s.io/v1 IngressClass', 1],
  ['apiextensions.k8s.io/v1 CustomResourceDefinition', 1],
  ['rbac.authorization.k8s.io/v1 ClusterRole', 2],
  ['rbac.authorization.k8s.io/v1 RoleBinding', 3],
  ['apps/v1 Deployment', 4],
  ['networking.k8s.io/v1 Ingress', 4],
  ['autoscaling/v2 HorizontalPodAutoscaler', 4],
  ['admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration', 5],
  ['example.com/v1 Widget', lastWave],
  ['serving.knative.dev/v1 Service', lastWave],
  ['rbac.authorization.k8s.io/v1 Unheard', lastWave],
])('%s is in wave %i', (identity, wave) => {
  const [apiVersion, kind] = identity.split(' ') as [string, string];
  expect(waveOf({ apiVersion, kind })).toBe(wave);
});

test.each([
  ['nothing is one empty group', [], 1],
  ['what fits together stays together', [300, 400], 1],
  ['the first that does not fit begins a group', [300, 400, 200], 2],
  ['an object larger than a group is alone', [10, 900, 10], 3],
])('groups of 800 KiB: %s', (_, sizes, expected) => {
  const manifests = sizes.map((kib, at) => object(`v1 ConfigMap a/m${at}`, { data: { x: 'x'.repeat(kib * 1024) } }));
  expect(countGroups(manifests)).toBe(expected);
});

test('groups are measured in bytes, not characters', () => {
  const manifest = (name: string) => object(`v1 ConfigMap a/${name}`, { data: { x: '€'.repeat(200 * 1024) } });
  expect(countGroups([manifest('a'), manifest('b')])).toBe(2);
});
