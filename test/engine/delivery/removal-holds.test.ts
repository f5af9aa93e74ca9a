import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import type { ClusterObservation, ObjectOutcome } from '../../../src/api/observation.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { approvedRemovals, blockedRemovals } from '../../../src/engine/bindings/foreign-objects.ts';
import { removalHolds } from '../../../src/engine/delivery/removal-holds.ts';
import { stuckRemovals } from '../../../src/engine/delivery/stuck-removals.ts';
import type { Target } from '../../../src/engine/plan-document.ts';
import { memberObservation } from '../member-observation.ts';
import { bound, placementOf, unscheduled, workOf } from '../rollout/world.ts';
import { digest } from '../staged/world.ts';

const web = { kind: 'ClusterResourcePlacement', name: 'web' } as const;
const shop = { apiVersion: 'v1', kind: 'Namespace', name: 'shop' };
const foreign: ObjectOutcome = {
  object: shop,
  result: 'ContainsForeignObjects',
  message: 'Namespace shop holds theirs',
};
const refused: ObjectOutcome = { object: { ...shop, name: 'b' }, result: 'ManifestDeleteFailed', message: 'denied' };

const refusing = (results: ObjectOutcome[], objects: Manifest[] = []): ClusterObservation =>
  memberObservation({ placements: [{ placement: web, done: true, results }], objects });
const seen = (results: ObjectOutcome[], approved: string[] = []) => ({
  observations: new Map([['a', refusing(results)]]),
  digest,
  record: { removals: new Map(), askedRemovals: undefined },
  fleet: {
    config: undefined,
    removalApprovals: approved.map((removalDigest) => ({
      apiVersion: 'gitfleet.dev/v1alpha1' as const,
      kind: 'RemovalApproval' as const,
      metadata: { name: 'yes' },
      spec: { removalDigest },
    })),
  },
});
const removing = { clusterName: 'a', placement: web, objects: [] };
const noTarget = () => undefined;
const line = 'a web v1/Namespace shop';
const removalDigest = `sha256:${digest(`purpose: remove with foreign contents\n${line}`)}`;

describe('a removal that an actor does not carry out', () => {
  it('is a hold, which names the digest that would let it pass', () => {
    expect(removalHolds(seen([foreign, refused]), noTarget)).toEqual([
      {
        subject: { ...web, clusterName: 'a' },
        reason: 'ContainsForeignObjects',
        message: `Namespace shop holds theirs; it stays on a until they are gone, or until a RemovalApproval of ${removalDigest} is merged`,
        removes: { objects: ['v1/Namespace shop'], contents: ['Namespace shop holds theirs'], count: 1 },
        removalDigest,
      },
      {
        subject: { ...web, clusterName: 'a' },
        reason: 'RemovalRefused',
        message: 'denied; the removal is retried until a accepts it',
      },
    ]);
  });

  it.each<[string, string[], object[]]>([
    ['not approved', [], []],
    ['approved', [removalDigest], [shop]],
    ['another removal approved', [`sha256:${digest('a web v1/Namespace other')}`], []],
    ['the removal approved, not that of its contents', [`sha256:${digest(line)}`], []],
  ])('is allowed when it is approved: %s', (_, approved, objects) => {
    expect(approvedRemovals(removing, seen([foreign], approved))).toEqual(objects);
    expect(blockedRemovals(removing, seen([foreign], approved))).toEqual(objects.length === 0 ? [shop] : []);
    expect(removalHolds(seen([foreign], approved), noTarget)).toHaveLength(objects.length === 0 ? 1 : 0);
  });

  it('is none of what the cluster is to hold again', () => {
    const target = { ...removing, remove: false, resourceSnapshotIndex: 1, objects: [shop] };
    expect(removalHolds(seen([foreign, refused]), () => target).map(({ reason }) => reason)).toEqual([
      'RemovalRefused',
    ]);
    expect(approvedRemovals(target, seen([foreign], [removalDigest]))).toEqual([]);
  });

  it('lists the first three of many objects', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...refused, object: { ...shop, name }, message: name }));
    expect(removalHolds(seen(many), noTarget)[0]?.message).toBe(
      'a; b; c and 2 more; the removal is retried until a accepts it',
    );
  });
});

describe('a removal that does not come to an end', () => {
  const object = (kind: string, deletionTimestamp: string, more: object = {}): Manifest =>
    ({
      apiVersion: 'v1',
      kind,
      metadata: {
        name: 'shop',
        labels: { 'gitfleet.dev/placement': 'web' },
        deletionTimestamp,
        finalizers: ['example.com/slow'],
      },
      ...more,
    }) as Manifest;
  const leaving = unscheduled('a', [], { deleting: true });
  /** Snapshot 0 lists a ConfigMap and a Namespace, both named shop. */
  const listing = new Map([[0, [object('ConfigMap', ''), object('Namespace', '')]]]);
  const at = (now: string, objects: Manifest[], binding: Binding = leaving, target?: Partial<Target>) =>
    stuckRemovals({
      works: [{ ...workOf(placementOf({ placementType: 'PickAll' }), [binding]), contents: listing }],
      observations: new Map([['a', refusing([], objects)]]),
      targetOf: () => target && { clusterName: 'a', placement: web, remove: false, objects: [], ...target },
      now,
      digest,
    });
  const since = '2026-11-20T10:00:00Z';

  it('is reported after five minutes, with what it waits for; until then the plan wakes for it', () => {
    expect(at('2026-11-20T10:04:59Z', [object('ConfigMap', since)])).toEqual({
      holds: [],
      wakes: ['2026-11-20T10:05:00Z'],
    });
    expect(at('2026-11-20T10:05:00Z', [object('ConfigMap', since)])).toEqual({
      holds: [
        {
          subject: { ...web, clusterName: 'a' },
          reason: 'RemovalPending',
          message: `on a ConfigMap shop is being removed since ${since} and waits for example.com/slow`,
        },
      ],
      wakes: [],
    });
  });

  it('of a namespace is reported with its remaining contents', () => {
    const conditions = [
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        message: 'Some resources are remaining: pods. has 2 resource instances',
      },
      { type: 'NamespaceDeletionContentFailure', status: 'False', message: 'All content successfully deleted' },
    ];
    const namespace = object('Namespace', since, { status: { conditions } });
    const { holds } = at('2026-11-20T11:00:00Z', [
      { ...namespace, metadata: { ...namespace.metadata, finalizers: [] } },
    ]);
    expect(holds[0]?.message).toBe(
      `on a Namespace shop is being removed since ${since} and waits for Some resources are remaining: pods. has 2 resource instances`,
    );
  });

  it('is reported also for an object that a newer snapshot no longer lists, while its binding stays', () => {
    const target = { resourceSnapshotIndex: 1, digest: 'sha256:new', objects: [shop] };
    const objects = [object('ConfigMap', since), object('Namespace', since)];
    expect(at('2026-11-20T10:01:00Z', objects, bound('a', 1, []), target)).toEqual({
      holds: [],
      wakes: ['2026-11-20T10:05:00Z'],
    });
    expect(at('2026-11-20T11:00:00Z', objects, bound('a', 1, []), target).holds).toEqual([
      {
        subject: { ...web, clusterName: 'a' },
        reason: 'RemovalPending',
        message: `on a ConfigMap shop is being removed since ${since} and waits for example.com/slow`,
      },
    ]);
  });

  const known = { resourceSnapshotIndex: 1, digest: 'sha256:new' };
  it.each<[string, Manifest, Binding?, Partial<Target>?]>([
    ['is to be there', object('Namespace', since), bound('a', 1, []), { ...known, objects: [shop] }],
    ['no snapshot ever listed', object('Secret', since), bound('a', 1, []), known],
    ['may stay, since it is unknown what is to be there', object('ConfigMap', since), bound('a', 1, []), {}],
    ['may stay, since what is to be there cannot be rendered', object('ConfigMap', since), bound('a', 1, [])],
    [
      'is not of the placement',
      { ...object('ConfigMap', since), metadata: { name: 'x', deletionTimestamp: since } },
      leaving,
    ],
  ])('is none of what %s', (_, of, binding, target) => {
    expect(at('2026-11-20T11:00:00Z', [of], binding, target)).toEqual({ holds: [], wakes: [] });
  });
});
