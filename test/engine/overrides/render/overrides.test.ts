import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../../../src/api/meta.ts';
import type { PlacementRef } from '../../../../src/api/placement.ts';
import { placementLabelValue } from '../../../../src/engine/overrides/ownership.ts';
import { render } from '../../../../src/engine/overrides/render.ts';
import { digest } from '../../selection/world.ts';
import { addLabel, cro, everywhere, historyOf, patch, ro, where } from '../world.ts';
import { deployment, eu, labelsOf, namespace, plain, renderOn, replicas, shop, us, web } from './render-on.ts';

describe('marks', () => {
  test('every object gets the placement label and its own digest, and nothing else changes', () => {
    const manifests = shop();
    const rendered = renderOn(eu, manifests);
    const digestOf = (text: string) => `sha256:${digest(text)}`;
    expect(rendered).toEqual({
      ok: true,
      duplicates: [],
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
    expect(plain(us, shop(), [drop])).toMatch(
      /^OverriddenFailed: override snapshot a-0 on v1 Namespace shop: rule 2, patch 1: remove/,
    );
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

  test.each<[string, unknown, string]>([
    ['/spec/disruption/budgets', [{ nodes: 'abc' }], 'spec.disruption.budgets [{"nodes":"abc"}] are no valid budgets'],
    ['/spec/disruption/budgets', [{ nodes: 3 }], 'spec.disruption.budgets [{"nodes":3}] are no valid budgets'],
    ['/spec/disruption/consolidationPolicy', 'Never', 'spec.disruption.consolidationPolicy "Never" is no policy'],
    ['/spec/template/spec/expireAfter', '5d', 'spec.template.spec.expireAfter "5d" is no duration, nor Never'],
    ['/metadata/annotations', { 'gitfleet.dev/expiry': 'polite' }, 'gitfleet.dev/expiry is not graceful'],
    ['/spec/weight', 0, 'spec.weight 0 is not a whole number from 1 to 100'],
    ['/spec/replicas', -1, 'spec.replicas -1 is not a whole number from 0 on'],
    ['/spec/template/spec/expireAfter', '1.5h', 'spec.template.spec.expireAfter "1.5h" is no duration, nor Never'],
    ['/spec/disruption/consolidateAfter', 'Never', ''],
  ])('a NodePool is not delivered with %s: %j', (path, value, message) => {
    const pool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default' },
      spec: { disruption: {}, template: { spec: {} } },
    };
    const override = cro('o', {
      selects: [{ group: 'karpenter.sh', version: 'v1', kind: 'NodePool', name: 'default' }],
      rules: [{ ...everywhere, ...patch({ op: 'add', path, value }) }],
    });
    const rendered = renderOn(eu, [pool], [override]);
    expect(rendered.ok ? '' : rendered.message).toBe(
      message === '' ? '' : `override snapshot o-0 on karpenter.sh/v1 NodePool default: ${message}`,
    );
  });

  test.each([
    [
      'a path that is not there',
      patch({ op: 'replace', path: '/spec/replicaz', value: 1 }),
      'rule 1, patch 1: replace /spec/replicaz: "replicaz" does not exist',
    ],
    [
      'a label that the cluster lacks',
      patch({ op: 'add', path: '/spec/x', value: '${MEMBER-CLUSTER-LABEL-KEY-zone}' }),
      'rule 1, patch 1: add /spec/x: cluster eu-1 has no label "zone"',
    ],
    [
      'a variable that is not closed',
      patch({ op: 'add', path: '/spec/x', value: '${MEMBER-CLUSTER-LABEL-KEY-zone' }),
      'rule 1, patch 1: add /spec/x: ${MEMBER-CLUSTER-LABEL-KEY- has no closing "}"',
    ],
    [
      'a patch that makes another object of it',
      patch({ op: 'replace', path: '/metadata/name', value: 'x' }),
      'apiVersion, kind, name and namespace must not change',
    ],
    [
      'a text in place of all labels',
      patch({ op: 'add', path: '/metadata/labels', value: 'v' }),
      'labels and annotations must remain maps of names to strings',
    ],
    [
      'a list in place of all annotations',
      patch({ op: 'add', path: '/metadata/annotations', value: ['v'] }),
      'labels and annotations must remain maps of names to strings',
    ],
    [
      'a patch that leaves no object',
      patch({ op: 'replace', path: '', value: 1 }),
      'apiVersion, kind, name and namespace must not change',
    ],
  ])('%s fails the cluster and names snapshot and object', (_, rule, message) => {
    const override = ro('shop/o', { selects: [deployment], rules: [{ ...everywhere, ...rule }] });
    expect(renderOn(eu, shop(), [override])).toEqual({
      ok: false,
      reason: 'OverriddenFailed',
      override: 'shop/o-0',
      message: `override snapshot shop/o-0 on apps/v1 Deployment shop/web: ${message}`,
    });
  });

  test('a label value that breaks the JSON fails the cluster', () => {
    const override = replicas('${MEMBER-CLUSTER-LABEL-KEY-region}');
    expect(plain({ name: 'x', labels: { region: '"' } }, shop(), [override])).toMatch(/the value is not valid JSON$/);
  });

  test('a rule whose object is not selected causes no error', () => {
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

  test('a snapshot that does not exist fails the cluster', () => {
    const lists = { clusterResourceOverrideSnapshots: ['o-0'] };
    expect(render({ placement: web, manifests: shop(), lists, history: historyOf([]), cluster: eu, digest })).toEqual({
      ok: false,
      reason: 'OverriddenFailed',
      override: 'o-0',
      message: 'override snapshot o-0 does not exist any more',
    });
  });
});
