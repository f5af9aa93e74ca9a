import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import type { ApplyStrategy } from '../../../src/api/placement.ts';
import {
  firstObjectState,
  nextForObject,
  type ObjectEvent,
  type ObjectState,
  type Shown,
} from '../../../src/members/apply/object-state.ts';
import { assignment, configMap } from '../../support/member-world.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' };
const applied = { object, result: 'Applied' } as const;
const drifted = { object, result: 'FoundDrifts' } as const;
const failed = { object, result: 'ManifestApplyFailed' } as const;
const repairedLately = { ...applied, details: [{ path: '/data/a' }] };
const live = configMap('a');
const dying: Manifest = { ...live, metadata: { ...live.metadata, deletionTimestamp: 'now' } };
const { strategy } = assignment('web', []);
const details = [{ path: '/data/a' }];

const compared = (
  shown: Partial<Shown>,
  of: { conflict?: boolean; held?: boolean; strategy?: Partial<ApplyStrategy> } = {},
): ObjectEvent => ({
  kind: 'compared',
  shown: { live, verdict: 'differs', missing: false, relabelled: false, removing: false, ...shown },
  same: applied,
  conflict: of.conflict ?? false,
  held: of.held ?? false,
  strategy: { ...strategy, ...of.strategy } as ApplyStrategy,
});
const answered = (of: object = {}): ObjectEvent => ({
  kind: 'responded',
  live,
  known: false,
  kept: false,
  applied: true,
  wanted: true,
  ...of,
});
const took = (of: object = {}): ObjectEvent => ({
  kind: 'applied',
  outcome: applied,
  changes: undefined,
  loss: undefined,
  ...of,
});
const ended = (of: object = {}): ObjectEvent => ({ kind: 'ended', wanted: true, held: false, settled: true, ...of });
const changed = (verdict: 'same' | 'asked' | 'differs', paused = false): ObjectEvent => ({
  kind: 'changed',
  change: { how: 'set', key: 'k', object: live, managers: [] },
  verdict,
  paused,
});
const deleted = (paused = false): ObjectEvent => ({
  kind: 'changed',
  change: { how: 'deleted', key: 'k', object: live },
  verdict: 'differs',
  paused,
});

function step(from: Partial<ObjectState>, event: ObjectEvent) {
  const before = { ...firstObjectState, ...from };
  const { state, effects } = nextForObject(before, event);
  const to = Object.entries(state).filter(([key, value]) => value !== before[key as keyof ObjectState]);
  return { to: Object.fromEntries(to), effects: effects.map(({ kind }) => kind) };
}

type Row = readonly [
  what: string,
  from: Partial<ObjectState>,
  event: ObjectEvent,
  to: Partial<ObjectState>,
  effects: string[],
];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'an object whose turn it is': [
    ['is in flight', {}, { kind: 'started' }, { inFlight: true }, []],
    [
      'cannot be applied where its kind is not served',
      {},
      { kind: 'unserved', outcome: failed },
      { outcome: failed },
      [],
    ],
    [
      'that is as it should be is not sent',
      {},
      compared({ verdict: 'same' }),
      { outcome: applied },
      ['accept', 'noteAsked'],
    ],
    [
      'that is there again is lost no longer',
      { lost: true },
      compared({ verdict: 'same' }),
      { lost: false, outcome: applied },
      ['accept', 'noteAsked'],
    ],
    ['that differs is applied', {}, compared({}), {}, ['apply']],
    [
      'that was deleted is lost, and applied',
      { outcome: applied },
      compared({ live: undefined, missing: true }),
      { lost: true },
      ['apply'],
    ],
    [
      'that lost its label is lost, and applied',
      { outcome: applied },
      compared({ relabelled: true }),
      { lost: true },
      ['apply'],
    ],
    [
      'that is being removed is lost, and applied',
      { outcome: applied },
      compared({ removing: true }),
      { lost: true },
      ['apply'],
    ],
    ['that was never applied is not lost', {}, compared({ live: undefined, missing: true }), {}, ['apply']],
    [
      'that the server was asked about is left, once applied',
      { outcome: applied },
      compared({ verdict: 'asked' }),
      {},
      [],
    ],
    [
      'that the server was asked about is sent if that failed',
      { outcome: failed },
      compared({ verdict: 'asked' }),
      {},
      ['apply'],
    ],
    [
      'that drifted is left under IfNotDrifted',
      { outcome: drifted },
      compared({ verdict: 'asked' }, { strategy: { whenToApply: 'IfNotDrifted' } }),
      {},
      [],
    ],
    [
      'that drifted is applied under another strategy',
      { outcome: drifted },
      compared({ verdict: 'asked' }),
      {},
      ['apply'],
    ],
    ['that another daemon changed is held', {}, compared({}, { conflict: true }), {}, ['hold']],
    ['that is held is not applied', {}, compared({}, { held: true }), {}, []],
    [
      'under ReportDiff is always compared by the server',
      {},
      compared({ verdict: 'same' }, { conflict: true, strategy: { type: 'ReportDiff' } }),
      {},
      ['apply'],
    ],
  ],
  'a response': [
    ['is shown before the watch reports it', {}, answered(), {}, ['noteAsked', 'show', 'accept']],
    ['that shows the same as the watch is not stored', {}, answered({ known: true }), {}, ['noteAsked', 'accept']],
    [
      'of an object that is being removed is no comparison',
      {},
      answered({ live: dying, applied: false }),
      {},
      ['show'],
    ],
    ['with a refusal accepts nothing', {}, answered({ applied: false }), {}, ['noteAsked', 'show']],
    ['without an object shows none', {}, answered({ live: null, applied: false }), {}, []],
    [
      'counts as ours also when something else is wanted by now',
      {},
      answered({ wanted: false }),
      {},
      ['noteAsked', 'show', 'accept'],
    ],
    ['that must not be replaced is held', {}, answered({ kept: true, applied: false }), {}, ['show', 'hold']],
    [
      'that must not be replaced is not held when it is not wanted',
      {},
      answered({ kept: true, wanted: false }),
      {},
      ['show'],
    ],
  ],
  'an outcome': [
    ['that is new retries dependents', {}, took(), { outcome: applied }, ['retryDependents']],
    [
      'that was so before is no news',
      { outcome: applied },
      took({ outcome: repairedLately }),
      { outcome: repairedLately },
      [],
    ],
    ['that failed is kept', { outcome: applied }, took({ outcome: failed }), { outcome: failed }, []],
    [
      'that repaired changes is reported',
      { outcome: applied },
      took({ changes: details, outcome: repairedLately }),
      { outcome: repairedLately },
      ['reportRepair'],
    ],
    [
      'that repaired a loss is reported, and dependents are tried again',
      { outcome: applied, lost: true },
      took({ loss: details, outcome: repairedLately }),
      { outcome: repairedLately, lost: false },
      ['reportRepair', 'retryDependents'],
    ],
    [
      'of an object that was not lost reports no loss',
      { outcome: applied },
      took({ loss: details, outcome: repairedLately }),
      { outcome: repairedLately },
      [],
    ],
  ],
  'the end of a turn': [
    ['changes nothing where all is settled', { inFlight: true, outcome: applied }, ended(), { inFlight: false }, []],
    [
      'looks again, as after a repair, where it does not stay as applied',
      { inFlight: true, outcome: applied },
      ended({ settled: false }),
      { inFlight: false },
      ['countRepair', 'check'],
    ],
    [
      'waits where it is held',
      { inFlight: true, outcome: applied },
      ended({ settled: false, held: true }),
      { inFlight: false },
      [],
    ],
    [
      'says nothing of what is not wanted',
      { inFlight: true, outcome: applied },
      ended({ settled: false, wanted: false }),
      { inFlight: false },
      [],
    ],
    [
      'leaves a failure to the back-off',
      { inFlight: true, outcome: failed },
      ended({ settled: false }),
      { inFlight: false },
      [],
    ],
    ['comes without a response, too', { inFlight: true, outcome: failed }, { kind: 'failed' }, { inFlight: false }, []],
  ],
  'a change': [
    ['to the desired state needs no check', { outcome: applied }, changed('same'), {}, ['clearChanges']],
    [
      'to what we want ends what is reported',
      { outcome: repairedLately },
      changed('same'),
      {},
      ['clearChanges', 'check'],
    ],
    ['to a state with a dry-run needs none', { outcome: failed }, changed('asked'), {}, ['clearChanges']],
    ['is checked, and its writer is noted', { outcome: applied }, changed('differs'), {}, ['blame', 'check']],
    [
      'that waits for repair is reported',
      { outcome: applied },
      changed('differs', true),
      {},
      ['blame', 'reportChanges', 'check'],
    ],
    ['while it is in flight is checked at the end', { inFlight: true }, changed('differs'), {}, ['blame']],
    ['that deletes it is checked', { outcome: applied }, deleted(), {}, ['blame', 'check']],
    ['that deletes it again is reported', { outcome: applied }, deleted(true), {}, ['blame', 'reportChanges', 'check']],
  ],
  'other objects': [
    [
      'leave nothing known',
      { outcome: applied, lost: true },
      { kind: 'forgotten' },
      { outcome: undefined, lost: false },
      [],
    ],
    [
      'leave what is in flight',
      { outcome: applied, inFlight: true },
      { kind: 'forgotten' },
      { outcome: undefined },
      [],
    ],
  ],
};

describe.each(Object.entries(rows))('%s', (_, of) => {
  it.each(of)('%s', (_what, from, event, to, effects) => {
    expect(step(from, event)).toEqual({ to, effects });
  });
});
