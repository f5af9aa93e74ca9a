import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../src/api/meta.ts';
import type { Placement, PlacementPolicy, PlacementStatus } from '../../../src/api/placement.ts';
import type { Binding, ClusterDecision } from '../../../src/api/placement-state.ts';
import type { PlacementWork } from '../../../src/engine/placement-work.ts';
import { placementStatus } from '../../../src/engine/status/placement-status.ts';
import { at, bound, pickN, placementOf, scheduled, T0, workOf } from '../rollout/world.ts';

const condition = (type: string, status: Condition['status'], reason: string): Condition => ({
  type,
  status,
  reason,
  lastTransitionTime: T0,
});
const steps = [
  condition('RolloutStarted', 'True', 'RolloutStarted'),
  condition('Overridden', 'True', 'NoOverrideSpecified'),
  condition('WorkSynchronized', 'True', 'AllWorkSynced'),
  condition('Applied', 'True', 'AllWorkHaveBeenApplied'),
  condition('Available', 'True', 'AllWorkAreAvailable'),
];
/** Everything True up to the condition given, which ends the list; `undefined` leaves its type out. */
const upTo = (type: string, last?: Condition): Condition[] => [
  ...steps.slice(
    0,
    steps.findIndex((step) => step.type === type),
  ),
  ...(last ? [last] : []),
];
const on = (name: string, conditions: readonly Condition[] = steps, more: Partial<Binding> = {}) =>
  bound(name, 1, conditions, more);
const decision = (clusterName: string, selected = true): ClusterDecision => ({
  clusterName,
  selected,
  reason: `about ${clusterName}`,
});

function statusOf(
  bindings: readonly Binding[],
  more: Partial<PlacementWork> & {
    policy?: PlacementPolicy;
    change?: (placement: Placement) => Placement;
    recorded?: PlacementStatus;
    now?: string;
  } = {},
): PlacementStatus {
  const { policy = pickN(bindings.length), change = (it) => it, recorded, now = T0, ...rest } = more;
  const work = {
    ...workOf(change(placementOf(policy)), bindings),
    decisions: bindings.map(({ targetCluster }) => decision(targetCluster)),
    ...rest,
  };
  return placementStatus(work, { now, recorded });
}
const words = (conditions: readonly Condition[] | undefined): string[] =>
  (conditions ?? []).map(
    ({ type, status, reason }) => `${type.replace('ClusterResourcePlacement', '')}=${status}/${reason}`,
  );
const ok = [
  'Scheduled=True/SchedulingPolicyFulfilled',
  'RolloutStarted=True/RolloutStarted',
  'Overridden=True/NoOverrideSpecified',
  'WorkSynchronized=True/WorkSynchronized',
  'Applied=True/ApplySucceeded',
  'Available=True/ResourceAvailable',
];
const external = (placement: Placement): Placement => ({
  ...placement,
  spec: { ...placement.spec, strategy: { type: 'External', applyStrategy: placement.spec.strategy.applyStrategy } },
});
const reportDiff = (placement: Placement): Placement => ({
  ...placement,
  spec: {
    ...placement.spec,
    strategy: {
      ...placement.spec.strategy,
      applyStrategy: { ...placement.spec.strategy.applyStrategy, type: 'ReportDiff' },
    },
  },
});

describe('conditions of a placement', () => {
  const bad = (type: string, reason: string) => [on('a'), on('b', upTo(type, condition(type, 'False', reason)))];
  const silent = (type: string) => [on('a'), on('b', upTo(type))];
  it.each<[string, readonly Binding[], number, string | undefined]>([
    ['all available', [on('a'), on('b')], 6, undefined],
    ['not started', bad('RolloutStarted', 'RolloutNotStartedYet'), 1, 'RolloutStarted=False/RolloutNotStartedYet'],
    ['start unknown', silent('RolloutStarted'), 1, 'RolloutStarted=Unknown/RolloutStartedUnknown'],
    ['override failed', bad('Overridden', 'OverriddenFailed'), 2, 'Overridden=False/OverriddenFailed'],
    ['override pending', silent('Overridden'), 2, 'Overridden=Unknown/OverriddenPending'],
    ['sync failed', bad('WorkSynchronized', 'SyncWorkFailed'), 3, 'WorkSynchronized=False/WorkNotSynchronizedYet'],
    ['sync unknown', silent('WorkSynchronized'), 3, 'WorkSynchronized=Unknown/WorkSynchronizedUnknown'],
    ['apply failed', bad('Applied', 'NotAllWorkHaveBeenApplied'), 4, 'Applied=False/ApplyFailed'],
    ['apply pending', silent('Applied'), 4, 'Applied=Unknown/ApplyPending'],
    ['not available', bad('Available', 'NotAllWorkAreAvailable'), 5, 'Available=False/ResourceNotAvailableYet'],
    ['availability unknown', silent('Available'), 5, 'Available=Unknown/ResourceAvailableUnknown'],
    [
      'Unknown wins over False',
      [on('a', upTo('Applied', condition('Applied', 'False', 'ApplyInProgress'))), on('b', upTo('Applied'))],
      4,
      'Applied=Unknown/ApplyPending',
    ],
    [
      'the earlier type wins',
      [
        on('a', upTo('Available', condition('Available', 'False', 'NotAllWorkAreAvailable'))),
        on('b', upTo('Overridden')),
      ],
      2,
      'Overridden=Unknown/OverriddenPending',
    ],
  ])('%s', (_, bindings, good, last) => {
    expect(words(statusOf(bindings).conditions)).toEqual([...ok.slice(0, good), ...(last ? [last] : [])]);
  });
  it('say how many clusters', () => {
    const { conditions } = statusOf([on('a'), on('b', upTo('Applied')), on('c', upTo('Applied'))]);
    expect(conditions?.at(-1)?.message).toContain('2 cluster(s)');
  });
  it.each<[string, (placement: Placement) => Placement, string, string[], string]>([
    [
      'being applied',
      (it) => it,
      'Applied',
      ['ApplyInProgress'],
      'The resources are still being applied to 1 cluster(s)',
    ],
    [
      'that cannot be applied on one of two clusters',
      (it) => it,
      'Applied',
      ['ApplyInProgress', 'NotAllWorkHaveBeenApplied'],
      'Failed to apply resources to 1 cluster(s), see the failed placements',
    ],
    [
      'being compared',
      reportDiff,
      'DiffReported',
      ['DiffReportInProgress', 'DiffReportInProgress'],
      'The resources are still being compared in 2 cluster(s)',
    ],
  ])('say what clusters fail, not which are in progress: %s', (_, change, type, reasons, message) => {
    const bindings = reasons.map((reason, at) => on(`c-${at}`, [...upTo('Applied'), condition(type, 'False', reason)]));
    const { conditions } = statusOf(bindings, { change });
    expect(conditions?.at(-1)).toMatchObject({ status: 'False', message });
  });
  it('ReportDiff shows DiffReported instead of Applied and Available', () => {
    const reported = [...upTo('Applied'), condition('DiffReported', 'True', 'AllWorkHaveDiffReported')];
    expect(words(statusOf([on('a', reported)], { change: reportDiff }).conditions)).toEqual([
      ...ok.slice(0, 4),
      'DiffReported=True/DiffReportingCompleted',
    ]);
    const failing = [...upTo('Applied'), condition('DiffReported', 'False', 'NotAllWorkHaveDiffReported')];
    expect(words(statusOf([on('a', failing)], { change: reportDiff }).conditions).at(-1)).toBe(
      'DiffReported=False/DiffReportingIncompleteOrFailed',
    );
    expect(words(statusOf([on('a', upTo('Applied'))], { change: reportDiff }).conditions).at(-1)).toBe(
      'DiffReported=Unknown/DiffReportingPending',
    );
  });
  it('Overridden reports whether any override applies anywhere', () => {
    const overridden = on('b', steps, { clusterResourceOverrideSnapshots: ['region-0'] });
    expect(words(statusOf([on('a'), overridden]).conditions)).toContain('Overridden=True/OverriddenSucceeded');
  });
  it('no cluster selected leaves Scheduled alone', () => {
    expect(words(statusOf([]).conditions)).toEqual(ok.slice(0, 1));
  });
  it('resources that cannot be selected are reported and the rest stays as recorded', () => {
    const recorded = statusOf([on('a')]);
    const status = statusOf([on('a')], {
      recorded,
      selection: { ok: false, message: 'no such kind', selector: 0 },
      now: at(60),
    });
    expect(words(status.conditions)).toEqual(['Scheduled=False/InvalidResourceSelectors', ...ok.slice(1)]);
    expect(status.placementStatuses).toEqual(recorded.placementStatuses);
  });
  it('carry the generation, and their time while the status stays', () => {
    const recorded = statusOf([on('a')]);
    const change = (it: Placement): Placement => ({ ...it, metadata: { ...it.metadata, generation: 7 } }) as Placement;
    const { conditions } = statusOf([on('a', upTo('Available'))], { recorded, change, now: at(60) });
    expect(conditions?.map((it) => it.observedGeneration)).toEqual([7, 7, 7, 7, 7, 7]);
    expect(conditions?.map((it) => it.lastTransitionTime)).toEqual([T0, T0, T0, T0, T0, at(60)]);
  });
  it('of a ResourcePlacement have its prefix', () => {
    const change = (it: Placement): Placement =>
      ({ ...it, kind: 'ResourcePlacement', metadata: { name: 'web', namespace: 'shop' } }) as Placement;
    expect(statusOf([on('a')], { change }).conditions?.[0]?.type).toBe('ResourcePlacementScheduled');
  });
});

describe('entries of clusters', () => {
  it('stand in the order of the decisions, empty slots last', () => {
    const decisions = [decision('b'), decision('a'), decision('z', false), decision('y', false)];
    const { placementStatuses } = statusOf([on('a'), on('b')], { policy: pickN(3), decisions });
    expect(
      placementStatuses?.map(({ clusterName, conditions }) => [
        clusterName,
        conditions?.[0]?.reason,
        conditions?.[0]?.message,
      ]),
    ).toEqual([
      ['b', 'Scheduled', 'about b'],
      ['a', 'Scheduled', 'about a'],
      [undefined, 'ScheduleFailed', 'about z'],
    ]);
  });
  it.each<[string, PlacementPolicy, number]>([
    ['PickN asks for a number', pickN(4), 2],
    ['no more slots than there are unselected clusters', pickN(9), 2],
    ['PickFixed asks for its names', { placementType: 'PickFixed', clusterNames: ['a', 'b', 'z'] }, 1],
    ['PickAll asks for none in particular', { placementType: 'PickAll' }, 0],
  ])('%s', (_, policy, empty) => {
    const decisions = [decision('a'), decision('b'), decision('z', false), decision('y', false)];
    const { placementStatuses } = statusOf([on('a'), on('b')], { policy, decisions });
    expect(placementStatuses?.filter(({ clusterName }) => clusterName === undefined)).toHaveLength(empty);
  });
  it('stop after the first condition that is not True', () => {
    const [entry] = statusOf([on('a', upTo('Applied', condition('Applied', 'False', 'ApplyInProgress')))])
      .placementStatuses!;
    expect(words(entry?.conditions)).toEqual([
      'Scheduled=True/Scheduled',
      'RolloutStarted=True/RolloutStarted',
      'Overridden=True/NoOverrideSpecified',
      'WorkSynchronized=True/AllWorkSynced',
      'Applied=False/ApplyInProgress',
    ]);
  });
  it.each<[string, Binding[], string]>([
    [
      'on an older snapshot and held',
      [bound('a', 0, [condition('RolloutStarted', 'False', 'RolloutNotStartedYet')])],
      'RolloutStarted=False/RolloutNotStartedYet',
    ],
    ['on an older snapshot, nothing decided', [bound('a', 0, steps)], 'RolloutStarted=Unknown/RolloutStartedUnknown'],
    ['without a binding', [], 'RolloutStarted=Unknown/RolloutStartedUnknown'],
    [
      'with a binding on its way out',
      [on('a', steps, { deleting: true })],
      'RolloutStarted=Unknown/RolloutStartedUnknown',
    ],
  ])('%s', (_, bindings, last) => {
    const [entry] = statusOf(bindings, { decisions: [decision('a')] }).placementStatuses!;
    expect(words(entry?.conditions)).toEqual(['Scheduled=True/Scheduled', last]);
    expect(entry?.observedResourceIndex).toBe('1');
  });
  it('show lists only where they belong', () => {
    const identifier = { version: 'v1', kind: 'ConfigMap', name: 'x' };
    const lists = {
      failedPlacements: [{ ...identifier, condition: condition('Applied', 'False', 'ManifestApplyFailed') }],
      driftedPlacements: [identifier],
      diffedPlacements: [identifier],
      resourceOverrideSnapshots: [{ name: 'o-0', namespace: 'web' }],
    };
    const shown = (conditions: Condition[], change = (it: Placement) => it) =>
      Object.keys(statusOf([on('a', conditions, lists)], { change }).placementStatuses![0]!).filter(
        (key) => key.endsWith('Placements') || key.startsWith('applicable'),
      );
    const overrides = 'applicableResourceOverrides';
    expect(shown(upTo('RolloutStarted', condition('RolloutStarted', 'False', 'RolloutNotStartedYet')))).toEqual([]);
    expect(shown(upTo('Applied'))).toEqual([overrides]);
    expect(shown([...steps])).toEqual([overrides, 'driftedPlacements']);
    expect(shown(upTo('Applied', condition('Applied', 'False', 'NotAllWorkHaveBeenApplied')))).toEqual([
      overrides,
      'failedPlacements',
      'driftedPlacements',
      'diffedPlacements',
    ]);
    expect(
      shown([...upTo('Applied'), condition('DiffReported', 'True', 'AllWorkHaveDiffReported')], reportDiff),
    ).toEqual([overrides, 'diffedPlacements']);
  });
});

describe('an External placement', () => {
  const summary = (bindings: readonly Binding[]) => {
    const { conditions, observedResourceIndex, placementStatuses } = statusOf(bindings, { change: external });
    return {
      last: words(conditions).at(-1),
      index: observedResourceIndex,
      each: placementStatuses?.map((it) => it.observedResourceIndex),
    };
  };
  const controlled = 'RolloutStarted=Unknown/RolloutControlledByExternalController';
  it('no cluster has an index yet', () => {
    expect(summary([scheduled('a'), scheduled('b')])).toEqual({
      last: controlled,
      index: undefined,
      each: [undefined, undefined],
    });
  });
  it('clusters with different indexes', () => {
    expect(summary([on('a'), bound('b', 0, steps)])).toEqual({ last: controlled, index: undefined, each: ['1', '0'] });
    expect(statusOf([on('a'), bound('b', 0, steps)], { change: external }).selectedResources).toBe(undefined);
  });
  it('one cluster not reported', () => {
    expect(summary([on('a'), on('b', [])])).toEqual({ last: controlled, index: '1', each: ['1', '1'] });
  });
  it('all on one index, also an older one', () => {
    expect(summary([bound('a', 0, steps), bound('b', 0, steps)])).toEqual({
      last: ok.at(-1),
      index: '0',
      each: ['0', '0'],
    });
  });
});

it('selected resources are those of the latest snapshot', () => {
  const contents = new Map([
    [1, [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } }]],
  ]);
  expect(statusOf([on('a')], { contents })).toMatchObject({
    observedResourceIndex: '1',
    selectedResources: [{ group: 'apps', version: 'v1', kind: 'Deployment', name: 'web', namespace: 'shop' }],
  });
});

it('saying it again changes nothing', () => {
  const decisions = [decision('a'), decision('z', false)];
  const once = statusOf([on('a', upTo('Applied'))], { decisions, policy: pickN(2) });
  expect(statusOf([on('a', upTo('Applied'))], { decisions, policy: pickN(2), recorded: once, now: at(60) })).toEqual(
    once,
  );
});
