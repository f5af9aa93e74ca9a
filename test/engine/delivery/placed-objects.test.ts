import { describe, expect, it } from 'vitest';
import type { Manifest, PlacementKey } from '../../../src/api/meta.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { applyStrategyOf } from '../../../src/engine/bindings/apply-strategy.ts';
import { isPlaced } from '../../../src/engine/delivery/placed-objects.ts';
import { rebuiltHash } from '../../../src/engine/selection/content-hash.ts';
import { refOfManifest } from '../../../src/engine/selection/object-key.ts';
import { inputOf, named } from '../guard/world.ts';
import { placementOf } from '../staged/world.ts';

describe('an object on a cluster has an owner', () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
  const colors = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'colors', namespace: 'shop' } };
  const bound: Binding = { targetCluster: 'one', state: 'Bound', resourceSnapshotIndex: 1 };

  /** What of `shop/settings` marked by `web` on cluster one. */
  function answer(
    work: {
      readonly binding?: Partial<Binding>;
      readonly contents?: [number, Manifest[]][];
      readonly hash?: string;
    } = {},
    selected: readonly Manifest[] = [colors],
  ): boolean {
    const contents = new Map(work.contents ?? [[1, [colors]]]);
    const placing = {
      placement: named('web'),
      bindings: [{ binding: { ...bound, ...work.binding }, move: 'keep' as const }],
      resourceSnapshots: [...contents.keys()].map((index) => ({
        index,
        hash: work.hash ?? 'abc',
        commit: '1',
        createdAt: '2026-11-20T10:00:00.000Z',
      })),
      contents,
      selection: { ok: true as const, manifests: selected, hash: 'abc', identifiers: [] },
    };
    return isPlaced(
      { works: new Map([['web' as PlacementKey, placing]]), world: { input: inputOf({}) } },
      { label: 'web', cluster: 'one', object: refOfManifest(settings) },
    );
  }

  it.each<[string, boolean, Parameters<typeof answer>]>([
    ['it selects the object', true, [{}, [settings, colors]]],
    ['the snapshot that the cluster has lists the object', true, [{ contents: [[1, [settings]]] }]],
    [
      'an older snapshot lists the object',
      true,
      [
        {
          contents: [
            [0, [settings]],
            [1, [colors]],
          ],
        },
      ],
    ],
    ['its binding is on its way out', true, [{ binding: { deleting: true }, contents: [[1, [settings]]] }]],
    ['it is unknown what its snapshot held', true, [{ contents: [] }]],
    ['its snapshot was rebuilt from members', true, [{ hash: rebuiltHash }]],
    ['no snapshot of it lists the object', false, []],
    [
      'it was picked for the cluster and has not come there',
      false,
      [{ binding: { state: 'Scheduled', resourceSnapshotIndex: undefined }, contents: [] }],
    ],
    ['it is on other clusters', false, [{ binding: { targetCluster: 'two' } }, [settings]]],
  ])('when of the placement that marks it is true: %s: %s', (_why, expected, [work, selected]) => {
    expect(answer(work, selected)).toBe(expected);
  });

  const refused = (kind: string, name: string, namespace?: string) => ({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  });
  const answers = (fleet: Parameters<typeof inputOf>[0]['fleet'] = {}) => {
    const contents = { works: new Map(), world: { input: inputOf({ fleet }) } };
    return ['web', 'broken', 'shop.web', 'gone'].filter((label) =>
      isPlaced(contents, { label, cluster: 'one', object: refOfManifest(settings) }),
    );
  };

  it('when the file of the placement that marks it is refused', () => {
    expect(
      answers({
        refused: [
          refused('ClusterResourcePlacement', 'broken'),
          refused('ResourcePlacement', 'web', 'shop'),
          refused('MemberCluster', 'gone'),
        ],
      }),
    ).toEqual(['broken', 'shop.web']);
  });
  it('when a file could not be read, which may hold any placement', () => {
    expect(answers({ unreadable: ['broken.yaml'] })).toEqual(['web', 'broken', 'shop.web', 'gone']);
  });
});

describe('the apply strategy of a binding', () => {
  const given = { applyStrategy: { ...named('web').spec.strategy.applyStrategy, type: 'ReportDiff' as const } };

  it('is that of its placement at once in a rolling update', () => {
    expect(applyStrategyOf(named('web'), given).type).toBe('ClientSideApply');
  });
  it('is the one that its run gave it under External', () => {
    const external = placementOf({ type: 'External' });
    expect([applyStrategyOf(external, given).type, applyStrategyOf(external, undefined).type]).toEqual([
      'ReportDiff',
      'ClientSideApply',
    ]);
  });
});
