import { describe, expect, test } from 'vitest';
import { identityOf, object } from '../../selection/world.ts';
import { addLabel, everywhere, patch, ro } from '../world.ts';
import { eu, labelsOf, plain, renderOn } from './render-on.ts';

describe('envelopes', () => {
  const envelope = (kind: string, path: string, ...inner: readonly unknown[]) =>
    object(`placement.kubernetes-fleet.io/v1beta1 ${kind} ${path}`, {
      data: Object.fromEntries(inner.map((it, at) => [`e${at}`, it])),
    });
  const configMap = (...inner: readonly unknown[]) =>
    object(
      'v1 ConfigMap shop/bundle',
      { data: Object.fromEntries(inner.map((it, at) => [`e${at}`, it])) },
      { annotations: { 'kubernetes-fleet.io/envelope-configmap': 'true' } },
    );
  const quota = object('v1 ResourceQuota shop/quota', { spec: {} }, { labels: {} });
  const role = object('rbac.authorization.k8s.io/v1 ClusterRole reader');

  test.each([
    [
      'ClusterResourceEnvelope',
      envelope('ClusterResourceEnvelope', 'guard', role),
      { name: 'guard', type: 'ClusterResourceEnvelope' },
      role,
    ],
    [
      'ResourceEnvelope',
      envelope('ResourceEnvelope', 'shop/guard', quota),
      { name: 'guard', namespace: 'shop', type: 'ResourceEnvelope' },
      quota,
    ],
    ['ConfigMap', configMap(JSON.stringify(quota)), { name: 'bundle', namespace: 'shop', type: 'ConfigMap' }, quota],
    [
      'ConfigMap, cluster-scoped',
      configMap(JSON.stringify(role)),
      { name: 'bundle', namespace: 'shop', type: 'ConfigMap' },
      role,
    ],
  ])('%s: the contents go to the member, the envelope does not', (_, wrapping, ref, inner) => {
    const rendered = renderOn(eu, [object('v1 Namespace shop'), wrapping]);
    expect(rendered.ok && rendered.manifests.map(({ manifest, envelope }) => [identityOf(manifest), envelope])).toEqual(
      [
        ['v1 Namespace shop', undefined],
        [identityOf(inner), ref],
      ],
    );
  });

  test('an envelope comes after the plain objects, its contents by their JSON, greatest first', () => {
    const named = (name: string) => object(`rbac.authorization.k8s.io/v1 ClusterRole ${name}`);
    const rendered = renderOn(eu, [
      envelope('ClusterResourceEnvelope', 'guard', named('a'), named('c'), named('b')),
      object('v1 Namespace z'),
    ]);
    expect(rendered.ok && rendered.manifests.map(({ manifest }) => manifest.metadata.name)).toEqual([
      'z',
      'c',
      'b',
      'a',
    ]);
  });

  test.each([
    [
      'a namespaced object in a cluster envelope',
      envelope('ClusterResourceEnvelope', 'guard', quota),
      'ClusterResourceEnvelope guard, entry "e0": the namespaced object v1 ResourceQuota shop/quota is wrapped in a ClusterResourceEnvelope; use a ResourceEnvelope in its namespace',
    ],
    [
      'a namespaced kind without namespace in a cluster envelope',
      envelope('ClusterResourceEnvelope', 'guard', object('v1 ConfigMap x')),
      'ClusterResourceEnvelope guard, entry "e0": the namespaced object v1 ConfigMap x is wrapped in a ClusterResourceEnvelope; use a ResourceEnvelope in its namespace',
    ],
    [
      'a cluster-scoped object in a namespaced envelope',
      envelope('ResourceEnvelope', 'shop/guard', role),
      'ResourceEnvelope shop/guard, entry "e0": rbac.authorization.k8s.io/v1 ClusterRole reader names no namespace; an envelope of namespace shop holds objects of that namespace; put cluster-scoped ones in a ClusterResourceEnvelope',
    ],
    [
      'an object of another namespace',
      envelope('ResourceEnvelope', 'pay/guard', quota),
      'ResourceEnvelope pay/guard, entry "e0": v1 ResourceQuota shop/quota is wrapped in an envelope of another namespace, pay',
    ],
    [
      'an entry that is not an object',
      envelope('ResourceEnvelope', 'shop/guard', { kind: 'x' }),
      'ResourceEnvelope shop/guard, entry "e0": not an object with apiVersion, kind and metadata.name',
    ],
  ])('%s is a user error', (_, wrapping, message) => {
    expect(renderOn(eu, [wrapping])).toEqual({
      ok: false,
      reason: 'SyncWorkFailed',
      message: `placement.kubernetes-fleet.io/v1beta1 ${message}`,
    });
  });

  test.each([
    [
      'text that is no JSON',
      'kind: Role',
      'entry "e0": the text is not one manifest that could be read; write one object per entry',
    ],
    [
      'an object of another namespace',
      JSON.stringify(object('v1 Secret pay/x')),
      'entry "e0": v1 Secret pay/x is wrapped in an envelope of another namespace, shop',
    ],
    [
      'a namespaced kind without namespace',
      JSON.stringify(object('v1 Secret x')),
      'entry "e0": v1 Secret x names no namespace; an envelope of namespace shop holds objects of that namespace and cluster-scoped ones',
    ],
  ])('ConfigMap: %s is a user error', (_, text, message) => {
    expect(renderOn(eu, [configMap(text)])).toEqual({
      ok: false,
      reason: 'SyncWorkFailed',
      message: `v1 ConfigMap shop/bundle, ${message}`,
    });
  });

  test('overrides reach the objects inside, and the envelope itself', () => {
    const inner = ro('shop/o', {
      selects: [{ kind: 'ResourceQuota', name: 'quota' }],
      rules: [{ ...everywhere, ...addLabel('a') }],
    });
    expect(labelsOf(eu, [envelope('ResourceEnvelope', 'shop/guard', quota)], [inner])).toEqual([{ a: 'yes' }]);
    const outer = ro('shop/o', {
      selects: [
        { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', kind: 'ResourceEnvelope', name: 'guard' },
      ],
      rules: [{ ...everywhere, ...patch({ op: 'remove', path: '/data/e0' }) }],
    });
    expect(plain(eu, [envelope('ResourceEnvelope', 'shop/guard', quota)], [outer])).toEqual([]);
  });

  test('an object that is in two of them is taken from the first', () => {
    const other = { ...quota, spec: { hard: { pods: '7' } } };
    const result = renderOn(eu, [quota, envelope('ResourceEnvelope', 'shop/guard', other)]);
    if (!result.ok) throw new Error(result.message);
    expect(result.manifests.map(({ manifest, envelope: from }) => [manifest['spec'], from])).toEqual([
      [quota['spec'], undefined],
    ]);
    expect(result.duplicates.map(({ item, message }) => [item.envelope?.name, message])).toEqual([
      [
        'guard',
        'v1 ResourceQuota shop/quota is in the selected resources and in envelope shop/guard; the first is applied',
      ],
    ]);
    expect(result.digest).toBe((renderOn(eu, [quota]) as typeof result).digest);
  });
});
