import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { isCleanedUp } from '../../../src/engine/bindings/cleanup.ts';
import { targetsOf } from '../../../src/engine/delivery/targets.ts';
import { placementLabelValue } from '../../../src/engine/overrides/ownership.ts';
import type { Rendered } from '../../../src/engine/overrides/render.ts';
import { sha256 } from '../../../src/repo/sha256.ts';
import { memberObservation } from '../member-observation.ts';
import { bound, health, placementOf, scheduled, unscheduled, workOf } from '../rollout/world.ts';

const manifest = (kind: string, name: string, namespace?: string): Manifest => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
});
const render = ({ manifests }: { manifests: readonly Manifest[] }): Rendered => ({
  ok: true,
  manifests: manifests.map((it) => ({ manifest: it })),
  duplicates: [],
  digest: 'sha256:x',
});
const contents = new Map([
  [0, [manifest('Namespace', 'web')]],
  [1, [manifest('Namespace', 'web'), manifest('ConfigMap', 'b', 'web'), manifest('ConfigMap', 'a', 'web')]],
]);
const placement = { kind: 'ClusterResourcePlacement', name: 'web' } as const;
const targets = (bindings: readonly Binding[], more: Partial<Parameters<typeof targetsOf>[1]> = {}) =>
  targetsOf(
    { ...workOf(placementOf({ placementType: 'PickAll' }), bindings), contents },
    { render, present: () => true, ...more },
  );
const outline = (bindings: readonly Binding[], more = {}) =>
  targets(bindings, more).map((it) => `${it.clusterName} ${it.remove ? 'remove' : it.resourceSnapshotIndex}`);

describe('targets', () => {
  it('name index, digest and objects in order', () => {
    expect(targets([bound('a', 1, health.ready)])).toEqual([
      {
        clusterName: 'a',
        placement,
        resourceSnapshotIndex: 1,
        digest: 'sha256:x',
        remove: false,
        objects: [
          { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name: 'a' },
          { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'web', name: 'b' },
          { apiVersion: 'v1', kind: 'Namespace', name: 'web' },
        ],
      },
    ]);
  });
  it('a removal keeps nothing and names no index', () => {
    expect(targets([unscheduled('a', [], { deleting: true })])).toEqual([
      { clusterName: 'a', placement, remove: true, objects: [] },
    ]);
  });
  it.each<[string, Binding[], string[]]>([
    ['Scheduled: nothing yet', [scheduled('a')], []],
    ['Unscheduled keeps what it has until its turn', [unscheduled('a', [])], ['a 0']],
    ['never given anything: nothing to remove', [{ ...scheduled('a'), state: 'Unscheduled', deleting: true }], []],
    [
      'being removed next to a Scheduled one: the removal',
      [unscheduled('a', [], { deleting: true }), scheduled('a')],
      ['a remove'],
    ],
    [
      'being removed next to one that was dropped before anything came: the removal',
      [unscheduled('a', [], { deleting: true }), { ...scheduled('a'), state: 'Unscheduled' }],
      ['a remove'],
    ],
    [
      'being removed next to a Bound one: nothing moves',
      [unscheduled('a', [], { deleting: true }), bound('a', 1, [])],
      ['a 1'],
    ],
    ['Bound beside Unscheduled: one target', [unscheduled('a', []), bound('a', 1, [])], ['a 1']],
  ])('%s', (_, bindings, expected) => {
    expect(outline(bindings)).toEqual(expected);
  });
  it('a cluster that left keeps what it has and has no target', () => {
    expect(outline([bound('a', 1, []), bound('b', 1, [])], { present: (name: string) => name !== 'a' })).toEqual([
      'b 1',
    ]);
  });
  it('nothing is asked of a cluster whose manifests cannot be rendered', () => {
    const fails = (): Rendered => ({ ok: false, reason: 'OverriddenFailed', message: 'no label', override: 'o-0' });
    expect(outline([bound('a', 1, [])], { render: fails })).toEqual([]);
  });
  it('unknown contents have no digest', () => {
    expect(targets([bound('a', 7, [])])).toEqual([
      { clusterName: 'a', placement, resourceSnapshotIndex: 7, remove: false, objects: [] },
    ]);
  });
  it('clusters that get the same share the list of objects', () => {
    const same = render({ manifests: contents.get(1)! });
    const [a, b] = targets([bound('a', 1, []), bound('b', 1, [])], { render: () => same });
    expect(a?.objects).toBe(b?.objects);
  });
});

describe('a removal is done', () => {
  const label = placementLabelValue(placement, sha256);
  const labelled = (value: string): Manifest => ({
    ...manifest('ConfigMap', 'a', 'web'),
    metadata: { name: 'a', namespace: 'web', labels: { 'gitfleet.dev/placement': value } },
  });
  const given = unscheduled('a', [], { deleting: true });
  const never: Binding = { targetCluster: 'a', state: 'Unscheduled', deleting: true };
  it.each<[string, Partial<Parameters<typeof isCleanedUp>[0]>, boolean]>([
    ['a complete look shows none of its objects', { observation: memberObservation() }, true],
    ['one still exists', { observation: memberObservation({ objects: [labelled(label)] }) }, false],
    [
      'objects of another placement do not count',
      { observation: memberObservation({ objects: [labelled('other')] }) },
      true,
    ],
    ['a list broke off', { observation: memberObservation({ complete: false }) }, false],
    ['unreachable', { observation: memberObservation({ reachable: false }) }, false],
    ['nothing was observed', { observation: undefined }, false],
    ['nothing was observed, but nothing was ever given', { observation: undefined, binding: never }, true],
    [
      'the cluster came back with some of its objects, and was given nothing since',
      { observation: memberObservation({ objects: [labelled(label)] }), binding: never },
      true,
    ],
    ['the cluster left', { observation: undefined, inFleet: false }, true],
    [
      'the actor is still at it',
      { observation: memberObservation({ placements: [{ placement, done: false, results: [] }] }) },
      false,
    ],
    [
      'the actor is through',
      { observation: memberObservation({ placements: [{ placement, done: true, results: [] }] }) },
      true,
    ],
  ])('%s', (_, request, done) => {
    const isOwn = ({ metadata }: Manifest) => metadata.labels?.['gitfleet.dev/placement'] === label;
    expect(isCleanedUp({ observation: undefined, isOwn, inFleet: true, binding: given, placement, ...request })).toBe(
      done,
    );
  });
});
