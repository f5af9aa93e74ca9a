import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import type { PlacementRef } from '../../../src/api/placement.ts';
import { matchOverrides } from '../../../src/engine/overrides/match.ts';
import { placementLabelValue } from '../../../src/engine/overrides/ownership.ts';
import { render } from '../../../src/engine/overrides/render.ts';
import { digest, identityOf, object } from '../selection/world.ts';
import { addLabel, cro, everywhere, historyOf, patch, ro, where } from './world.ts';

const web: PlacementRef = { kind: 'ClusterResourcePlacement', name: 'web' };
const eu = { name: 'eu-1', labels: { region: 'eu' } };
const us = { name: 'us-1', labels: { region: 'us' } };
const namespace = { kind: 'Namespace', name: 'shop' };
const deployment = { group: 'apps', kind: 'Deployment', name: 'web' };
const shop = (): Manifest[] => [
  object('v1 Namespace shop', {}, { labels: {} }),
  object('apps/v1 Deployment shop/web', { spec: { replicas: 1 }, odd: { field: true } }, { labels: {} }),
];

type Overrides = Parameters<typeof historyOf>[0];
function renderOn(
  cluster: typeof eu | typeof us,
  manifests: readonly Manifest[],
  overrides: Overrides = [],
  placement = web,
) {
  const history = historyOf(overrides);
  const lists = matchOverrides({ placement, manifests, history, cluster });
  return render({ placement, manifests, lists, history, cluster, digest });
}
/** The rendered manifests without our marks, or the message. */
function plain(...args: Parameters<typeof renderOn>): readonly unknown[] | string {
  const rendered = renderOn(...args);
  if (!rendered.ok) return `${rendered.reason}: ${rendered.message}`;
  return rendered.manifests.map(({ manifest: { metadata, ...rest } }) => {
    const { 'gitfleet.dev/placement': _, ...labels } = metadata.labels ?? {};
    const { annotations: __, ...others } = metadata;
    return { ...rest, metadata: { ...others, labels } };
  });
}
const labelsOf = (...args: Parameters<typeof renderOn>) => {
  const manifests = plain(...args);
  return typeof manifests === 'string' ? manifests : manifests.map((it) => (it as Manifest).metadata.labels);
};
const replicas = (value: unknown, selects = deployment, rule: object = everywhere) =>
  ro('shop/o', {
    selects: [selects],
    rules: [{ ...rule, ...patch({ op: 'replace', path: '/spec/replicas', value }) }],
  });

describe('marks', () => {
  test('every object gets the placement label and its own digest, and nothing else changes', () => {
    const manifests = shop();
    const rendered = renderOn(eu, manifests);
    const digestOf = (text: string) => `sha256:${digest(text)}`;
    expect(rendered).toEqual({
      ok: true,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      manifests: [
        {
          manifest: {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: {
              name: 'shop',
              labels: { 'gitfleet.dev/placement': 'web' },
              annotations: {
                'gitfleet.dev/digest': digestOf(
                  '{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{},"name":"shop"}}',
                ),
              },
            },
          },
        },
        {
          manifest: {
            ...manifests[1],
            metadata: {
              ...manifests[1]!.metadata,
              labels: { 'gitfleet.dev/placement': 'web' },
              annotations: { 'gitfleet.dev/digest': expect.stringMatching(/^sha256:/) },
            },
          },
        },
      ],
    });
  });

  test('a long name is cut and given in full in an annotation', () => {
    const placement: PlacementRef = { kind: 'ResourcePlacement', namespace: 'n'.repeat(30), name: 'p'.repeat(40) };
    const full = `${placement.namespace}.${placement.name}`;
    const value = placementLabelValue(placement, digest);
    expect(value).toBe(`${full.slice(0, 54)}-${digest(full).slice(0, 8)}`);
    expect(value.length).toBe(63);
    const rendered = renderOn(eu, shop(), [], placement);
    expect(rendered.ok && rendered.manifests[0]!.manifest.metadata.annotations).toMatchObject({
      'gitfleet.dev/placement': full,
    });
  });

  test('the digests do not depend on the placement, the commit or the cluster', () => {
    const marks = (placement: PlacementRef, cluster: typeof eu | typeof us) => {
      const rendered = renderOn(cluster, shop(), [], placement);
      return (
        rendered.ok && [
          rendered.digest,
          ...rendered.manifests.map(({ manifest }) => manifest.metadata.annotations?.['gitfleet.dev/digest']),
        ]
      );
    };
    expect(marks(web, eu)).toEqual(marks({ ...web, name: 'other' }, us));
  });
});

describe('overrides', () => {
  test('a rule that is not for the cluster changes nothing there', () => {
    const manifests = shop();
    const override = replicas(5, deployment, where({ region: 'eu' }));
    expect((plain(eu, manifests, [override]) as Manifest[])[1]!['spec']).toEqual({ replicas: 5 });
    expect((plain(us, manifests, [override]) as Manifest[])[1]!['spec']).toEqual({ replicas: 1 });
    expect(manifests).toEqual(shop());
  });

  test('a cluster override of a Namespace reaches the Namespace and what is in it', () => {
    const override = cro('o', { selects: [namespace], rules: [{ ...everywhere, ...addLabel('a') }] });
    expect(labelsOf(eu, shop(), [override])).toEqual([{ a: 'yes' }, { a: 'yes' }]);
  });

  test('namespaced overrides come last and win; inside an override, later rules win', () => {
    const set = (value: number) => ({
      ...everywhere,
      ...patch({ op: 'add', path: '/metadata/labels/by', value: `${value}` }),
    });
    const a = cro('a', { selects: [namespace], rules: [set(1), set(2)] });
    const b = cro('b', { selects: [namespace], rules: [set(3)] });
    const c = ro('shop/a', { selects: [deployment], rules: [set(4), set(5)] });
    expect(labelsOf(eu, shop(), [c, b, a])).toEqual([{ by: '3' }, { by: '5' }]);
  });

  test('Delete drops the object, and nothing later brings it back or fails on it', () => {
    const drop = cro('a', {
      selects: [namespace],
      rules: [
        { ...where({ region: 'eu' }), overrideType: 'Delete' },
        { ...everywhere, ...patch({ op: 'remove', path: '/metadata/labels/nothing' }) },
      ],
    });
    expect(plain(eu, shop(), [drop, replicas(3)])).toEqual([]);
    expect(plain(us, shop(), [drop])).toMatch(/^OverriddenFailed: override snapshot a-0 on v1 Namespace shop: remove/);
  });

  test('variables are filled in per cluster', () => {
    const override = replicas({ at: '${MEMBER-CLUSTER-NAME}', in: ['${MEMBER-CLUSTER-LABEL-KEY-region}'] });
    const manifests = shop();
    expect((plain(eu, manifests, [override]) as Manifest[])[1]!['spec']).toEqual({
      replicas: { at: 'eu-1', in: ['eu'] },
    });
    expect((plain(us, manifests, [override]) as Manifest[])[1]!['spec']).toEqual({
      replicas: { at: 'us-1', in: ['us'] },
    });
  });

  test.each([
    [
      'a path that is not there',
      patch({ op: 'replace', path: '/spec/replicaz', value: 1 }),
      'replace /spec/replicaz: "replicaz" is not there',
    ],
    [
      'a label that the cluster lacks',
      patch({ op: 'add', path: '/spec/x', value: '${MEMBER-CLUSTER-LABEL-KEY-zone}' }),
      'add /spec/x: cluster eu-1 has no label "zone"',
    ],
    [
      'a variable that is not closed',
      patch({ op: 'add', path: '/spec/x', value: '${MEMBER-CLUSTER-LABEL-KEY-zone' }),
      'add /spec/x: ${MEMBER-CLUSTER-LABEL-KEY- has no closing "}"',
    ],
    [
      'a patch that makes another object of it',
      patch({ op: 'replace', path: '/metadata/name', value: 'x' }),
      'apiVersion, kind, name and namespace must stay',
    ],
    [
      'a patch that leaves no object',
      patch({ op: 'replace', path: '', value: 1 }),
      'apiVersion, kind, name and namespace must stay',
    ],
  ])('%s fails the cluster and names snapshot and object', (_, rule, message) => {
    const override = ro('shop/o', { selects: [deployment], rules: [{ ...everywhere, ...rule }] });
    expect(renderOn(eu, shop(), [override])).toEqual({
      ok: false,
      reason: 'OverriddenFailed',
      message: `override snapshot shop/o-0 on apps/v1 Deployment shop/web: ${message}`,
    });
  });

  test('a label value that breaks the JSON fails the cluster', () => {
    const override = replicas('${MEMBER-CLUSTER-LABEL-KEY-region}');
    expect(plain({ name: 'x', labels: { region: '"' } }, shop(), [override])).toMatch(/the value is no JSON any more$/);
  });

  test('a rule whose object is not selected does no harm', () => {
    const both = ro('shop/o', {
      selects: [
        { group: 'apps', kind: 'Deployment', name: 'absent' },
        { kind: 'ConfigMap', name: 'web' },
      ],
      rules: [{ ...everywhere, ...patch({ op: 'add', path: '/x', value: '${MEMBER-CLUSTER-LABEL-KEY-zone}' }) }],
    });
    const history = historyOf([both]);
    const lists = { resourceOverrideSnapshots: [{ namespace: 'shop', name: 'o-0' }] };
    expect(render({ placement: web, manifests: shop(), lists, history, cluster: eu, digest }).ok).toBe(true);
  });

  test('a snapshot that is gone fails the cluster', () => {
    const lists = { clusterResourceOverrideSnapshots: ['o-0'] };
    expect(render({ placement: web, manifests: shop(), lists, history: historyOf([]), cluster: eu, digest })).toEqual({
      ok: false,
      reason: 'OverriddenFailed',
      message: 'override snapshot o-0 is not found; a newer one has replaced it',
    });
  });
});

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
      'an entry that is no object',
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

  test('an object can only be in one of them', () => {
    const twice = [quota, envelope('ResourceEnvelope', 'shop/guard', quota)];
    expect(plain(eu, twice)).toBe(
      'SyncWorkFailed: v1 ResourceQuota shop/quota is in the selected resources and in envelope guard; it can only be in one',
    );
  });
});

describe('sharing', () => {
  test('clusters without overrides get one and the same value', () => {
    const manifests = shop();
    expect(renderOn(eu, manifests)).toBe(renderOn(us, manifests));
  });
  test('clusters for which the same rules apply do too, as long as no variable tells them apart', () => {
    const manifests = shop();
    const fixed = replicas(3);
    expect(renderOn(eu, manifests, [fixed])).toBe(renderOn(us, manifests, [fixed]));
    const named = replicas('${MEMBER-CLUSTER-NAME}');
    expect(renderOn(eu, manifests, [named])).not.toEqual(renderOn(us, manifests, [named]));
  });
  test('objects that an override leaves alone are the same values in all variants', () => {
    const manifests = shop();
    const named = replicas('${MEMBER-CLUSTER-NAME}');
    const [a, b] = [renderOn(eu, manifests, [named]), renderOn(us, manifests, [named])];
    expect(a.ok && b.ok && a.manifests[0]!.manifest === b.manifests[0]!.manifest).toBe(true);
  });
  test('another version of an override under the same name is another result', () => {
    const manifests = shop();
    expect(plain(eu, manifests, [replicas(3)])).not.toEqual(plain(eu, manifests, [replicas(4)]));
  });
  test('one changed object changes the digest and only its own mark', () => {
    const [before, after] = [renderOn(eu, shop()), renderOn(eu, shop(), [replicas(9)])];
    const marks = (rendered: typeof before) =>
      rendered.ok && rendered.manifests.map(({ manifest }) => manifest.metadata.annotations);
    expect(before.ok && after.ok && before.digest !== after.digest).toBe(true);
    expect((marks(before) as unknown[])[0]).toEqual((marks(after) as unknown[])[0]);
    expect((marks(before) as unknown[])[1]).not.toEqual((marks(after) as unknown[])[1]);
  });
});

test('whatever the overrides do, inputs stay and a second rendering is the same', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant('${MEMBER-CLUSTER-NAME}'));
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace'),
    path: fc.constantFrom('/spec/replicas', '/spec/x', '/metadata/labels/a', '/odd/field', '/missing/x'),
    value,
  });
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 5 }), fc.boolean(), (operations, both) => {
      const override = ro('shop/o', { selects: [deployment], rules: [{ ...everywhere, ...patch(...operations) }] });
      const others = both ? [cro('n', { selects: [namespace], rules: [{ ...everywhere, ...addLabel('n') }] })] : [];
      const manifests = shop();
      const first = renderOn(eu, manifests, [override, ...others]);
      expect(manifests).toEqual(shop());
      expect(renderOn(eu, shop(), [...others, override])).toEqual(first);
    }),
  );
});
