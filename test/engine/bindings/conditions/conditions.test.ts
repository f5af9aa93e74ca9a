import { describe, expect, it } from 'vitest';
import { observeBinding } from '../../../../src/engine/bindings/conditions/observe-binding.ts';
import { notApplied } from '../../../support/not-applied.ts';
import { at, T0 } from '../../rollout/world.ts';
import {
  applied,
  config,
  entry,
  head,
  look,
  observe,
  placementOf,
  ref,
  rendered,
  type Scene,
  web,
  widget,
  words,
} from './scene.ts';

const rows: [rule: string, scene: Scene, conditions: string[]][] = [
  ['all applied and available', {}, [...applied, 'Available=True/AllWorkAreAvailable']],
  [
    'overrides applied',
    { binding: { clusterResourceOverrideSnapshots: ['o-0'] } },
    ['Overridden=True/OverriddenSucceeded', head[1]!, applied[2]!, 'Available=True/AllWorkAreAvailable'],
  ],
  ['no entry for the placement: nothing beyond Overridden', { seen: look({ placements: [] }) }, [head[0]!]],
  [
    'an entry of another index does not count',
    { seen: look({ placements: [entry({ resourceSnapshotIndex: 2 })] }) },
    [head[0]!],
  ],
  [
    'an entry of another placement does not count',
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
  ...[...notApplied, 'NoDiffFound'].map((result): [string, Scene, string[]] => [
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
    { rendered: { ok: false, reason: 'OverriddenFailed', message: 'o-0: no label', override: 'o-0' } },
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

describe('Applied=False names the first cause', () => {
  const message = (...reported: readonly (string | undefined)[]) => {
    const objects = reported.map((_, at) => config(`c${at}`));
    const results = objects.map((object, at) => ({
      object: ref(object),
      result: 'ManifestApplyFailed',
      ...(reported[at] === undefined ? {} : { message: reported[at] }),
    }));
    const seen = look({ placements: [entry({ results })] });
    const { conditions } = observe({ rendered: rendered(...objects), seen });
    return conditions?.find(({ type }) => type === 'Applied')?.message;
  };
  it.each<[string, readonly (string | undefined)[], string]>([
    ['where there is none', [undefined], 'ConfigMap web/c0 could not be applied'],
    [
      'of several',
      ['', 'denied', 'later'],
      'ConfigMap web/c0, ConfigMap web/c1, ConfigMap web/c2 could not be applied: denied',
    ],
    ['in its first line', ['denied\nby a webhook'], 'ConfigMap web/c0 could not be applied: denied'],
    ['cut where it is long', ['x'.repeat(300)], `ConfigMap web/c0 could not be applied: ${'x'.repeat(199)}…`],
  ])('%s', (_, reported, expected) => {
    expect(message(...reported)).toBe(expected);
  });
});
