import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import type { ClusterObservation, PlacementSighting } from '../../../src/api/observation.ts';
import type { ApplyStrategy, Placement } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import { observeBinding } from '../../../src/engine/delivery/binding-conditions.ts';
import type { Rendered } from '../../../src/engine/overrides/render.ts';
import { applyStrategy, at, placementOf as rollingPlacement, T0 } from '../rollout/world.ts';

const config = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'web' },
});
const widget: Manifest = { apiVersion: 'acme.io/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'web' } };
const web = (availableReplicas: number): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'web', generation: 1 },
  spec: { replicas: 1 },
  status: { observedGeneration: 1, availableReplicas, updatedReplicas: 1 },
});
const rendered = (...manifests: Manifest[]): Rendered => ({
  ok: true,
  manifests: manifests.map((manifest) => ({ manifest })),
  digest: 'sha256:own',
});
const placementOf = (change: Partial<ApplyStrategy> = {}): Placement => {
  const placement = rollingPlacement({ placementType: 'PickAll' });
  const strategy = { ...placement.spec.strategy, applyStrategy: { ...applyStrategy, ...change } };
  return { ...placement, spec: { ...placement.spec, strategy } } as Placement;
};
const bindingOf = (more: Partial<Binding> = {}): Binding => ({
  targetCluster: 'a',
  state: 'Bound',
  resourceSnapshotIndex: 3,
  ...more,
});
const entry = (more: Partial<PlacementSighting> = {}): PlacementSighting => ({
  placement: { kind: 'ClusterResourcePlacement', name: 'web' },
  resourceSnapshotIndex: 3,
  done: true,
  results: [],
  ...more,
});
const look = (more: Partial<ClusterObservation> = {}): ClusterObservation => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'ClusterObservation',
  metadata: { name: 'a' },
  observedAt: T0,
  reachable: true,
  complete: true,
  placements: [entry()],
  objects: [],
  nodes: [],
  pods: [],
  extras: [],
  ...more,
});
const ref = ({ apiVersion, kind, metadata: { name, namespace } }: Manifest) => ({
  apiVersion,
  kind,
  namespace: namespace!,
  name,
});

interface Scene {
  readonly binding?: Partial<Binding>;
  readonly strategy?: Partial<ApplyStrategy>;
  readonly rendered?: Rendered;
  readonly seen?: ClusterObservation | undefined;
  readonly now?: string;
}
const observe = (scene: Scene): Binding =>
  observeBinding({
    placement: placementOf(scene.strategy),
    binding: bindingOf(scene.binding),
    rendered: scene.rendered ?? rendered(config('x')),
    observation: 'seen' in scene ? scene.seen : look({ objects: [config('x')] }),
    now: scene.now ?? T0,
  });
const words = (binding: Binding): string[] =>
  (binding.conditions ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
const head = ['Overridden=True/NoOverrideSpecified', 'WorkSynchronized=True/AllWorkSynced'];
const applied = [...head, 'Applied=True/AllWorkHaveBeenApplied'];

const rows: [rule: string, scene: Scene, conditions: string[]][] = [
  ['all applied and available', {}, [...applied, 'Available=True/AllWorkAreAvailable']],
  [
    'overrides applied',
    { binding: { clusterResourceOverrideSnapshots: ['o-0'] } },
    ['Overridden=True/OverriddenSucceeded', head[1]!, applied[2]!, 'Available=True/AllWorkAreAvailable'],
  ],
  ['no entry for the placement: nothing beyond Overridden', { seen: look({ placements: [] }) }, [head[0]!]],
  [
    'an entry of another index says nothing',
    { seen: look({ placements: [entry({ resourceSnapshotIndex: 2 })] }) },
    [head[0]!],
  ],
  [
    'an entry of another placement says nothing',
    {
      seen: look({ placements: [entry({ placement: { kind: 'ResourcePlacement', name: 'web', namespace: 'web' } })] }),
    },
    [head[0]!],
  ],
  [
    'the entry of the index counts, whatever else is listed',
    { seen: look({ placements: [entry({ resourceSnapshotIndex: 2, done: false }), entry()], objects: [config('x')] }) },
    [...applied, 'Available=True/AllWorkAreAvailable'],
  ],
  [
    'still applying',
    { seen: look({ placements: [entry({ done: false })] }) },
    [...head, 'Applied=False/ApplyInProgress'],
  ],
  [
    'another digest is still applying',
    { seen: look({ placements: [entry({ digest: 'sha256:other' })] }) },
    [...head, 'Applied=False/ApplyInProgress'],
  ],
  [
    'the own digest is done',
    { seen: look({ placements: [entry({ digest: 'sha256:own' })], objects: [config('x')] }) },
    [...applied, 'Available=True/AllWorkAreAvailable'],
  ],
  [
    'one object failed',
    {
      rendered: rendered(config('x'), config('y')),
      seen: look({
        placements: [entry({ results: [{ object: ref(config('y')), result: 'ManifestApplyFailed' }] })],
        objects: [config('x')],
      }),
    },
    [...head, 'Applied=False/NotAllWorkHaveBeenApplied'],
  ],
  ...[
    'FailedToTakeOver',
    'NotTakenOver',
    'FoundDrifts',
    'FoundDriftsInDegradedMode',
    'DecodingErred',
    'FoundGenerateName',
    'Duplicated',
    'PreparingToProcess',
    'FailedToFindObjInMemberCluster',
    'FailedToRunDriftDetection',
    'NoDiffFound',
  ].map((result): [string, Scene, string[]] => [
    `${result} is not applied`,
    {
      seen: look({ placements: [entry({ results: [{ object: ref(config('x')), result }] })], objects: [config('x')] }),
    },
    [...head, 'Applied=False/NotAllWorkHaveBeenApplied'],
  ]),
  [
    'AppliedWithFailedDriftDetection is applied',
    {
      seen: look({
        placements: [entry({ results: [{ object: ref(config('x')), result: 'AppliedWithFailedDriftDetection' }] })],
        objects: [config('x')],
      }),
    },
    [...applied, 'Available=True/AllWorkAreAvailable'],
  ],
  [
    'a deployment that is not up',
    { rendered: rendered(web(0)), seen: look({ objects: [web(0)] }) },
    [...applied, 'Available=False/NotAllWorkAreAvailable'],
  ],
  ['an applied object that is gone', { seen: look() }, [...applied, 'Available=False/NotAllWorkAreAvailable']],
  [
    'an object that a broken list does not show: availability is not known',
    { seen: look({ complete: false }) },
    applied,
  ],
  [
    'what a broken list does show counts',
    { rendered: rendered(web(0), config('x')), seen: look({ complete: false, objects: [web(0)] }) },
    [...applied, 'Available=False/NotAllWorkAreAvailable'],
  ],
  [
    'an untrackable object',
    { rendered: rendered(config('x'), widget), seen: look({ objects: [config('x'), widget] }) },
    [...applied, 'Available=True/NotAllWorkAreAvailabilityTrackable'],
  ],
  [
    'unavailable counts before untrackable',
    { rendered: rendered(web(0), widget), seen: look({ objects: [web(0), widget] }) },
    [...applied, 'Available=False/NotAllWorkAreAvailable'],
  ],
  [
    'the version an object is served in does not matter',
    { rendered: rendered(web(1)), seen: look({ objects: [{ ...web(1), apiVersion: 'apps/v1beta2' }] }) },
    [...applied, 'Available=True/AllWorkAreAvailable'],
  ],
  [
    'an empty snapshot is available',
    { rendered: rendered(), seen: look() },
    [...applied, 'Available=True/AllWorkAreAvailable'],
  ],
  [
    'a failing override',
    { rendered: { ok: false, reason: 'OverriddenFailed', message: 'o-0: no label' } },
    ['Overridden=False/OverriddenFailed'],
  ],
  [
    'an envelope that cannot be unpacked',
    { rendered: { ok: false, reason: 'SyncWorkFailed', message: 'entry x' } },
    [head[0]!, 'WorkSynchronized=False/SyncWorkFailed'],
  ],
  [
    'ReportDiff: all reported',
    {
      strategy: { type: 'ReportDiff' },
      rendered: rendered(config('x'), config('y')),
      seen: look({
        placements: [
          entry({
            results: [
              { object: ref(config('x')), result: 'FoundDiff' },
              { object: ref(config('y')), result: 'FoundDiffInDegradedMode' },
            ],
          }),
        ],
      }),
    },
    [...head, 'DiffReported=True/AllWorkHaveDiffReported'],
  ],
  [
    'ReportDiff: one failed',
    {
      strategy: { type: 'ReportDiff' },
      seen: look({ placements: [entry({ results: [{ object: ref(config('x')), result: 'FailedToReportDiff' }] })] }),
    },
    [...head, 'DiffReported=False/NotAllWorkHaveDiffReported'],
  ],
  [
    'ReportDiff: in progress',
    { strategy: { type: 'ReportDiff' }, seen: look({ placements: [entry({ done: false })] }) },
    [...head, 'DiffReported=False/DiffReportInProgress'],
  ],
  [
    'an Unscheduled binding still holds resources',
    { binding: { state: 'Unscheduled', previousState: 'Bound' } },
    [...applied, 'Available=True/AllWorkAreAvailable'],
  ],
];

describe('conditions of a binding on an observed cluster', () => {
  it.each(rows)('%s', (_, scene, conditions) => {
    expect(words(observe(scene))).toEqual(conditions);
  });
  it('keep their time while their status stays, and RolloutStarted as it is', () => {
    const started = {
      type: 'RolloutStarted',
      status: 'True',
      reason: 'RolloutStarted',
      lastTransitionTime: at(-90),
    } as const;
    const before = [
      started,
      { type: 'Applied', status: 'True', reason: 'AllWorkHaveBeenApplied', lastTransitionTime: at(-80) },
      { type: 'Available', status: 'True', reason: 'NotAllWorkAreAvailabilityTrackable', lastTransitionTime: at(-70) },
    ] as const;
    const { conditions } = observe({
      binding: { conditions: [...before] },
      rendered: rendered(web(0)),
      seen: look({ objects: [web(0)] }),
    });
    expect(conditions?.map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`)).toEqual([
      `RolloutStarted ${at(-90)}`,
      `Overridden ${T0}`,
      `WorkSynchronized ${T0}`,
      `Applied ${at(-80)}`,
      `Available ${T0}`,
    ]);
  });
  it('a reason that changes keeps the time: the status did not', () => {
    const before = {
      type: 'Available',
      status: 'True',
      reason: 'NotAllWorkAreAvailabilityTrackable',
      lastTransitionTime: at(-70),
    } as const;
    const { conditions } = observe({ binding: { conditions: [before] } });
    expect(conditions?.at(-1)).toMatchObject({ reason: 'AllWorkAreAvailable', lastTransitionTime: at(-70) });
  });
  it('what was known of an object stands while a broken list does not show it', () => {
    const before = {
      type: 'Available',
      status: 'True',
      reason: 'AllWorkAreAvailable',
      lastTransitionTime: at(-70),
    } as const;
    expect(observe({ binding: { conditions: [before] }, seen: look({ complete: false }) }).conditions?.at(-1)).toEqual(
      before,
    );
  });
  it('looking again at the same changes nothing', () => {
    const drifted = look({
      placements: [
        entry({ results: [{ object: ref(config('x')), result: 'FoundDrifts', details: [{ path: '/data/v' }] }] }),
      ],
    });
    const once = observe({ seen: drifted });
    expect(
      observeBinding({
        placement: placementOf(),
        binding: once,
        rendered: rendered(config('x')),
        observation: { ...drifted, observedAt: at(60) },
        now: at(60),
      }),
    ).toEqual(once);
  });
});

describe('where nothing was observed the record stands', () => {
  const conditions = [
    { type: 'Available', status: 'True', reason: 'AllWorkAreAvailable', lastTransitionTime: at(-70) },
  ] as const;
  const failing: Rendered = { ok: false, reason: 'OverriddenFailed', message: 'o-0: no label' };
  it.each([
    ['no document', undefined],
    ['unreachable', look({ reachable: false })],
  ])('%s', (_, seen) => {
    expect(observe({ binding: { conditions: [...conditions] }, seen })).toEqual(
      bindingOf({ conditions: [...conditions] }),
    );
  });
  it('but a failing override is told', () => {
    expect(words(observe({ seen: undefined, rendered: failing }))).toEqual(['Overridden=False/OverriddenFailed']);
  });
  it('and what ReportDiff said is forgotten once objects are applied', () => {
    const report = { type: 'DiffReported', status: 'True', reason: 'AllWorkHaveDiffReported' } as const;
    expect(observe({ binding: { conditions: [report] }, seen: undefined }).conditions).toEqual([]);
  });
  it.each([
    ['without an index', { resourceSnapshotIndex: undefined }],
    ['on its way out', { deleting: true }],
    ['not bound yet', { state: 'Scheduled' as const }],
  ])('a binding %s is as recorded', (_, more) => {
    expect(observe({ binding: more })).toEqual(bindingOf(more));
  });
});

describe('lists of a binding', () => {
  const details = [{ path: '/data/v', valueInMember: '2', valueInHub: '1' }];
  const withResult = (result: string, more: object = {}) =>
    look({ placements: [entry({ results: [{ object: ref(config('x')), result, ...more }] })], objects: [config('x')] });
  it('failed: what was not applied, and what is applied and not available', () => {
    const seen = look({
      placements: [
        entry({ results: [{ object: ref(config('x')), result: 'ManifestApplyFailed', message: 'denied' }] }),
      ],
      objects: [web(0)],
    });
    const { failedPlacements } = observe({ rendered: rendered(config('x'), web(0)), seen });
    expect(
      failedPlacements?.map(({ kind, condition: { type, reason, message } }) => ({ kind, type, reason, message })),
    ).toEqual([
      { kind: 'ConfigMap', type: 'Applied', reason: 'ManifestApplyFailed', message: 'denied' },
      {
        kind: 'Deployment',
        type: 'Available',
        reason: 'ManifestNotAvailableYet',
        message: 'its replica is not updated and available yet',
      },
    ]);
  });
  it('failed: names the envelope, keeps the time', () => {
    const wrapped: Rendered = {
      ok: true,
      digest: '',
      manifests: [{ manifest: config('x'), envelope: { name: 'e', namespace: 'web', type: 'ResourceEnvelope' } }],
    };
    const once = observe({ rendered: wrapped, seen: withResult('ManifestApplyFailed', { message: 'denied' }) });
    const twice = observe({
      rendered: wrapped,
      seen: withResult('ManifestApplyFailed', { message: 'denied' }),
      binding: once,
      now: at(60),
    });
    expect(twice.failedPlacements).toEqual([
      {
        version: 'v1',
        kind: 'ConfigMap',
        name: 'x',
        namespace: 'web',
        envelope: { name: 'e', namespace: 'web', type: 'ResourceEnvelope' },
        condition: {
          type: 'Applied',
          status: 'False',
          reason: 'ManifestApplyFailed',
          message: 'denied',
          lastTransitionTime: T0,
        },
      },
    ]);
  });
  it('drifted: first seen stays, seen changes with the drifts', () => {
    const once = observe({ seen: withResult('FoundDrifts', { details, observedGeneration: 4 }) });
    expect(once.driftedPlacements).toEqual([
      {
        version: 'v1',
        kind: 'ConfigMap',
        name: 'x',
        namespace: 'web',
        observationTime: T0,
        targetClusterObservedGeneration: 4,
        firstDriftedObservedTime: T0,
        observedDrifts: details,
      },
    ]);
    const other = [{ path: '/data/w' }];
    const [drifted] = observe({ seen: withResult('FoundDrifts', { details: other }), binding: once, now: at(60) })
      .driftedPlacements!;
    expect(drifted).toMatchObject({ firstDriftedObservedTime: T0, observationTime: at(60), observedDrifts: other });
  });
  it('drifted: an applied object with details, and one that is gone', () => {
    expect(observe({ seen: withResult('Applied', { details }) }).driftedPlacements?.[0]?.observedDrifts).toEqual(
      details,
    );
    expect(observe({ seen: look() }).driftedPlacements?.[0]?.observedDrifts).toEqual([
      { path: '/', valueInHub: '(the whole object)' },
    ]);
  });
  it('diffed: a takeover that was refused, a difference that was reported', () => {
    expect(observe({ seen: withResult('FailedToTakeOver', { details }) }).diffedPlacements?.[0]?.observedDiffs).toEqual(
      details,
    );
    const reported = observe({ strategy: { type: 'ReportDiff' }, seen: withResult('FoundDiff', { details }) });
    expect(reported.diffedPlacements?.[0]).toMatchObject({ firstDiffedObservedTime: T0, observedDiffs: details });
    expect(reported.failedPlacements).toBeUndefined();
  });
  it('are emptied when there is nothing to tell, and hold at most 100', () => {
    const once = observe({ seen: withResult('FoundDrifts', { details }) });
    const healed = observe({ binding: once });
    expect([healed.failedPlacements, healed.driftedPlacements, healed.diffedPlacements]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const many = Array.from({ length: 130 }, (_, n) => config(`c-${n}`));
    const seen = look({
      placements: [
        entry({
          results: many.map((it) => ({
            object: ref(it),
            result: 'FoundDrifts',
            details: Array.from({ length: 130 }, () => ({ path: '/x' })),
          })),
        }),
      ],
    });
    const capped = observe({ rendered: rendered(...many), seen });
    expect([
      capped.failedPlacements?.length,
      capped.driftedPlacements?.length,
      capped.driftedPlacements?.[0]?.observedDrifts?.length,
    ]).toEqual([100, 100, 100]);
  });
  it('ClientSideApply is said to be done on the server, once', () => {
    const said = (strategy: Partial<ApplyStrategy>) =>
      (observe({ strategy }).conditions ?? [])
        .filter(({ message }) => message?.includes('server-side apply'))
        .map(({ type }) => type);
    expect(said({})).toEqual(['Applied']);
    expect(said({ type: 'ServerSideApply' })).toEqual([]);
  });
});
