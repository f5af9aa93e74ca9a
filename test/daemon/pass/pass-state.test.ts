import { describe, expect, it } from 'vitest';
import type { Basis } from '../../../src/daemon/pass/at-rest.ts';
import {
  firstPassState,
  type Loaded,
  nextInPass,
  type Observed,
  type PassEvent,
  type PassState,
  type Planned,
  type Recorded,
} from '../../../src/daemon/pass/pass-state.ts';
import type { Remembered } from '../../../src/daemon/record/remembered.ts';
import type { PlanResult } from '../../../src/engine/plan.ts';

const at = Date.parse('2026-11-20T10:00:00Z');
const record = (exists = true, commit: string | undefined = 'c1') => ({ exists, commit }) as Remembered['record'];
const remembered = (of = record()): Remembered => ({ record: of }) as Remembered;
const before = remembered();
const result = (guard: readonly object[] = []) =>
  ({ plan: { commit: 'c2', now: '2026-11-20T10:00:00Z', guard } }) as unknown as PlanResult;
const basis = { remembered: before, fleet: {}, observations: new Map() } as unknown as Basis;
const fleet = { members: [], versionCatalogs: [] } as unknown as Loaded['fleet'];
const loaded = { before, record: before.record, fleet } as Loaded;
const observed = { ...loaded, basis } as Observed;
const planned = (changed: boolean, guard: readonly object[] = []) =>
  ({ ...observed, result: result(guard), changed }) as Planned;
const recorded = (of: Partial<Recorded>) => ({ ...planned(true), record: before.record, ...of }) as Recorded;
const rest = { basis, result: result(), plannedAtMs: at };
const gathered = { on: before, record: record(true, 'later') };

const kinds = (state: Partial<PassState>, event: PassEvent) => {
  const from = { ...firstPassState, ...state };
  const step = nextInPass(from, event);
  const changed = Object.entries(step.state).filter(([key, value]) => value !== from[key as keyof PassState]);
  return {
    state: Object.fromEntries(changed),
    effects: step.effects.map((effect) => (effect.kind === 'finish' ? `finish ${effect.result.kind}` : effect.kind)),
  };
};

const look = (of: { disputed?: boolean; atMs?: number; basis?: Basis | undefined } = {}): PassEvent => ({
  kind: 'observed',
  observed: { ...observed, basis: 'basis' in of ? of.basis : basis },
  disputed: of.disputed ?? false,
  atMs: of.atMs ?? at + 1000,
});

const requested = (of: Partial<Recorded>, known = false): PassEvent => ({
  kind: 'approvalsRequested',
  recorded: recorded(of),
  known,
});

describe('the next step of a pass', () => {
  it.each<
    readonly [what: string, state: Partial<PassState>, event: PassEvent, to: Partial<PassState>, effects: string[]]
  >([
    ['reads the record first', {}, { kind: 'started' }, {}, ['readRecord']],
    [
      'follows the commit of a record that is new',
      {},
      { kind: 'recordRead', remembered: before },
      { remembered: before },
      ['acceptCommit', 'load'],
    ],
    [
      'follows it once: the tip may be ahead of what is recorded',
      { remembered: before },
      { kind: 'recordRead', remembered: before },
      {},
      ['load'],
    ],
    [
      'follows no commit of a branch that was deleted',
      { remembered: remembered(record(true)) },
      { kind: 'recordRead', remembered: { record: { exists: false } } as Remembered },
      { remembered: { record: { exists: false } } as Remembered },
      ['load'],
    ],
    ['adopts the record after a start', {}, { kind: 'loaded', loaded }, { adoptedRecord: true }, ['adopt']],
    [
      'adopts again when a record turns up, since who had none knows of no cluster what another wrote',
      { adoptedRecord: false },
      { kind: 'loaded', loaded },
      { adoptedRecord: true },
      ['adopt'],
    ],
    [
      'adopts anew, without a record, when it is lost',
      { adoptedRecord: true },
      { kind: 'loaded', loaded: { ...loaded, before: remembered(record(false)) } },
      { adoptedRecord: false },
      ['adopt'],
    ],
    ['adopts once', { adoptedRecord: true }, { kind: 'loaded', loaded }, {}, ['observe']],
    ['observes members when they are adopted', {}, { kind: 'adopted', loaded }, {}, ['observe']],
    ['plans without an earlier plan', {}, look(), {}, ['plan']],
    ['keeps a plan at rest', { rest }, look(), {}, ['confirm', 'requestApprovals']],
    ['plans when another daemon changes members', { rest }, look({ disputed: true }), { rest: undefined }, ['plan']],
    ['plans when there can be no rest', { rest }, look({ basis: undefined }), { rest: undefined }, ['plan']],
    ['plans when the rest has lasted long', { rest }, look({ atMs: at + 300_000 }), { rest: undefined }, ['plan']],
    [
      'waits with a plan that is to be pushed later, and remembers what it has seen',
      {},
      { kind: 'planned', planned: planned(true), pushAtMs: 5, gathered: gathered.record },
      { gathered },
      ['finish gathering'],
    ],
    [
      'waits, and keeps nothing of a plan that would start something',
      { gathered },
      { kind: 'planned', planned: planned(true), pushAtMs: 5, gathered: undefined },
      {},
      ['finish gathering'],
    ],
    [
      'publishes a plan that changes the status branch',
      {},
      { kind: 'planned', planned: planned(true), pushAtMs: undefined, gathered: undefined },
      {},
      ['publish'],
    ],
    [
      'acts on a plan that changes nothing',
      {},
      { kind: 'planned', planned: planned(false), pushAtMs: undefined, gathered: undefined },
      { adoptedRecord: true },
      ['useRewind', 'assign', 'confirm', 'requestApprovals'],
    ],
    [
      'acts on a plan that is published, and has a record then',
      { adoptedRecord: false },
      { kind: 'published', recorded: recorded({}) },
      { adoptedRecord: true },
      ['useRewind', 'assign', 'confirm', 'requestApprovals'],
    ],
    [
      'assigns nothing of a plan that is refused',
      { adoptedRecord: false },
      { kind: 'published', recorded: recorded({ result: result([{}]) }) },
      {},
      ['useRewind', 'requestApprovals'],
    ],
    ['starts again when another daemon pushed first', {}, { kind: 'rejected' }, {}, ['finish moved']],
    ['ends what was at rest', { rest }, requested({}, true), {}, ['finish unchanged']],
    ['ends a published plan without rest', {}, requested({ changed: true }), {}, ['finish published']],
    [
      'rests when nothing changed',
      {},
      requested({ changed: false }),
      { rest: expect.anything() },
      ['finish unchanged'],
    ],
    [
      'does not rest on an uncertain basis',
      {},
      requested({ changed: false, basis: undefined }),
      {},
      ['finish unchanged'],
    ],
    ['does not rest on a refusal', {}, requested({ changed: false, result: result([{}]) }), {}, ['finish refused']],
  ])('%s', (_, state, event, to, effects) => {
    expect(kinds(state, event)).toEqual({ state: to, effects });
  });

  it('a pass loads with the record of a plan that waits, as long as that continues the same status commit', () => {
    const load = (on: Remembered) =>
      nextInPass(
        { ...firstPassState, remembered: before, gathered: { ...gathered, on } },
        { kind: 'recordRead', remembered: before },
      ).effects;
    expect(load(before)).toEqual([{ kind: 'load', before, record: gathered.record }]);
    expect(load(remembered())).toEqual([{ kind: 'load', before, record: before.record }]);
  });
});
