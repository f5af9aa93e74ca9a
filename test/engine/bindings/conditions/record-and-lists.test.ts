import { describe, expect, it } from 'vitest';
import type { ApplyStrategy } from '../../../../src/api/placement.ts';
import type { Binding } from '../../../../src/api/placement-state.ts';
import type { Rendered } from '../../../../src/engine/overrides/render.ts';
import { at, T0 } from '../../rollout/world.ts';
import {
  bindingOf,
  config,
  entry,
  look,
  observe,
  placementOf,
  ref,
  rendered,
  type Scene,
  web,
  words,
} from './scene.ts';

describe('where nothing was observed the record stands', () => {
  const conditions = [
    { type: 'Available', status: 'True', reason: 'AllWorkAreAvailable', lastTransitionTime: at(-70) },
  ] as const;
  const failing: Rendered = { ok: false, reason: 'OverriddenFailed', message: 'o-0: no label', override: 'o-0' };
  it.each([
    ['no document', undefined],
    ['unreachable', look({ reachable: false })],
  ])('%s', (_, seen) => {
    expect(observe({ binding: { conditions: [...conditions] }, seen })).toEqual(
      bindingOf({ conditions: [...conditions] }),
    );
  });
  it('an observation that broke off before it came to the placement', () => {
    const recorded = {
      conditions: [
        { type: 'WorkSynchronized', status: 'True', reason: 'AllWorkSynced', lastTransitionTime: at(-70) },
        { type: 'Applied', status: 'False', reason: 'NotAllWorkHaveBeenApplied', lastTransitionTime: at(-70) },
      ],
      driftedPlacements: [{ version: 'v1', kind: 'ConfigMap', name: 'x', firstDriftedObservedTime: at(-70) }],
    } satisfies Partial<Binding>;
    const seen = look({ placements: [], complete: false });
    expect(observe({ binding: recorded, seen })).toEqual(bindingOf(recorded));
    expect(words(observe({ binding: recorded, seen: look({ placements: [] }) }))).toEqual([
      'Overridden=True/NoOverrideSpecified',
    ]);
    expect(words(observe({ binding: { conditions: [] }, seen }))).toEqual(['Overridden=True/NoOverrideSpecified']);
  });
  it('but Overridden is set for an unreachable one that was assigned something new', () => {
    const started = { type: 'RolloutStarted', status: 'True', reason: 'RolloutStarted' } as const;
    const given = (seen: Parameters<typeof observe>[0]['seen']) =>
      words(observe({ binding: { conditions: [started] }, seen }));
    expect(given(look({ reachable: false }))).toEqual([
      'RolloutStarted=True/RolloutStarted',
      'Overridden=True/NoOverrideSpecified',
    ]);
    expect(given(undefined)).toEqual(['RolloutStarted=True/RolloutStarted']);
  });
  it('but a failing override is reported', () => {
    expect(words(observe({ seen: undefined, rendered: failing }))).toEqual(['Overridden=False/OverriddenFailed']);
  });
  it.each<[string, string, Scene['strategy'], boolean]>([
    ['and those of ReportDiff are dropped once objects are applied', 'ReportDiff', {}, false],
    ['and what applying came to is forgotten under ReportDiff', 'ServerSideApply', { type: 'ReportDiff' }, false],
    ['but another way to apply forgets nothing', 'ServerSideApply', {}, true],
  ])('%s', (_, before, strategy, stands) => {
    const type = before === 'ReportDiff' ? 'DiffReported' : 'Available';
    const conditions = [{ type, status: 'True', reason: 'AllWorkAreAvailable' } as const];
    const appliedBy = { ...placementOf().spec.strategy.applyStrategy, type: before as 'ReportDiff' };
    const seen = { binding: { conditions }, strategy, seen: undefined };
    expect(observe({ ...seen, appliedBy }).conditions).toEqual(stands ? conditions : []);
    expect(observe(seen).conditions).toEqual(conditions);
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
      duplicates: [],
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
  it.each(['FailedToTakeOver', 'NotTakenOver'])('diffed, not drifted: %s', (result) => {
    const { diffedPlacements, driftedPlacements } = observe({ seen: withResult(result, { details }) });
    expect([diffedPlacements?.[0]?.observedDiffs, driftedPlacements]).toEqual([details, undefined]);
  });
  it('diffed: a difference that was reported, in degraded mode too', () => {
    const degraded = withResult('FoundDiffInDegradedMode', { details });
    const { diffedPlacements, driftedPlacements } = observe({ strategy: { type: 'ReportDiff' }, seen: degraded });
    expect([diffedPlacements?.[0]?.observedDiffs, driftedPlacements]).toEqual([details, undefined]);
    const reported = observe({ strategy: { type: 'ReportDiff' }, seen: withResult('FoundDiff', { details }) });
    expect(reported.diffedPlacements?.[0]).toMatchObject({ firstDiffedObservedTime: T0, observedDiffs: details });
    expect(reported.failedPlacements).toBeUndefined();
  });
  it('are emptied when there is nothing to report, and hold at most 100', () => {
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
  it('ClientSideApply is reported as applied on the server, once', () => {
    const said = (strategy: Partial<ApplyStrategy>) =>
      (observe({ strategy }).conditions ?? [])
        .filter(({ message }) => message?.includes('server-side apply'))
        .map(({ type }) => type);
    expect(said({})).toEqual(['Applied']);
    expect(said({ type: 'ServerSideApply' })).toEqual([]);
  });
});
