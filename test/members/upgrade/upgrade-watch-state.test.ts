import { describe, expect, it } from 'vitest';
import { firstLook, type Look } from '../../../src/members/upgrade/look.ts';
import type { OperationReport, WantedOperation } from '../../../src/members/upgrade/provider.ts';
import {
  firstUpgradeWatch,
  isActive,
  nextUpgradeWatch,
  type UpgradeWatchEvent,
} from '../../../src/members/upgrade/upgrade-watch-state.ts';

const noon = Date.parse('2026-11-20T12:00:00Z');

type Untimed = UpgradeWatchEvent extends infer E ? (E extends UpgradeWatchEvent ? Omit<E, 'atMs'> : never) : never;

const simulated: Untimed = { kind: 'used', setting: { provider: 'simulated', ref: undefined } };
const aks: Untimed = { kind: 'used', setting: { provider: 'aks', ref: 'eu' } };
const unused: Untimed = { kind: 'used', setting: undefined };
const operation = (operationId: string, adopted = false): WantedOperation => ({
  operation: { run: 'k8s', operationId, type: 'Full', controlPlane: 'v1.31.5' },
  adopted,
});
const assigned = (id: string | undefined, adopted?: boolean): Untimed => ({
  kind: 'assigned',
  wanted: id === undefined ? undefined : operation(id, adopted),
});
const missed: Untimed = { kind: 'missed', message: 'no response' };
const seen = { versions: { controlPlane: 'v1.30.9' }, running: undefined, lastOperation: undefined };
const looked = (look: Partial<Look> = {}): Untimed => ({ kind: 'looked', look: { ...firstLook, seen, ...look } });
const about = (operationId: string, phase: OperationReport['phase']) =>
  looked({ operationId, report: { phase, message: 'as requested' } });
const foreign = looked({ seen: { ...seen, running: { operationId: undefined, message: 'someone upgrades it' } } });

/** After each event, a second apart: effects; then what is observed, `since` in seconds, and whether it is looked at often. */
function told(events: readonly Untimed[]): string[] {
  let state = firstUpgradeWatch;
  return events.map((event, at) => {
    const step = nextUpgradeWatch(state, { ...event, atMs: noon + at * 1000 } as UpgradeWatchEvent);
    state = step.state;
    const { versions, upgrade } = state.observation ?? {};
    const since = upgrade?.since === undefined ? '' : ` since ${(Date.parse(upgrade.since) - noon) / 1000}`;
    const shown = state.observation
      ? `${versions?.controlPlane ?? 'unseen'} ${upgrade?.target ?? '-'} ${upgrade?.phase ?? '-'}${since}`
      : 'nothing';
    const effects = step.effects.map((effect) =>
      effect.kind === 'follow' ? `follow ${effect.setting?.provider ?? 'none'}` : effect.kind,
    );
    return `${effects.join(', ') || 'none'} | ${shown}${isActive(state) ? ' often' : ''}`;
  });
}

describe('the watch of upgrades', () => {
  it.each<[string, Untimed[], string[]]>([
    [
      'follows a provider, and reports its first response',
      [simulated, simulated, looked(), looked()],
      [
        'follow simulated | unseen - -',
        'none | unseen - -',
        'report | v1.30.9 - - since 2',
        'none | v1.30.9 - - since 2',
      ],
    ],
    [
      'reports a first look without a response as well',
      [simulated, missed, missed],
      ['follow simulated | unseen - -', 'report | unseen - Unknown often', 'none | unseen - Unknown often'],
    ],
    [
      'forgets all of a provider with it',
      [simulated, looked(), aks, looked(), unused, unused],
      [
        'follow simulated | unseen - -',
        'report | v1.30.9 - - since 1',
        'follow aks, report | unseen - -',
        'report | v1.30.9 - - since 3',
        'follow none, report | nothing',
        'none | nothing',
      ],
    ],
    [
      'does not report the change of a provider of which nothing was reported',
      [simulated, aks],
      ['follow simulated | unseen - -', 'follow aks | unseen - -'],
    ],
    [
      'counts a provider as not responding after three misses in a row',
      [simulated, looked(), missed, missed, looked(), missed, missed, missed, looked()],
      [
        'follow simulated | unseen - -',
        'report | v1.30.9 - - since 1',
        'none | v1.30.9 - - since 1 often',
        'none | v1.30.9 - - since 1 often',
        'none | v1.30.9 - - since 1',
        'none | v1.30.9 - - since 1 often',
        'none | v1.30.9 - - since 1 often',
        'report | unseen - Unknown since 1 often',
        'report | v1.30.9 - - since 1',
      ],
    ],
    [
      'looks at once for another operation, and keeps the instant of its last news',
      [
        simulated,
        looked(),
        assigned('a'),
        assigned('a'),
        about('a', 'Running'),
        about('a', 'Running'),
        about('a', 'Succeeded'),
      ],
      [
        'follow simulated | unseen - -',
        'report | v1.30.9 - - since 1',
        'wake | v1.30.9 a Unknown since 1 often',
        'none | v1.30.9 a Unknown since 1 often',
        'report | v1.30.9 a Running since 4 often',
        'none | v1.30.9 a Running since 4 often',
        'report | v1.30.9 a Succeeded since 6 often',
      ],
    ],
    [
      'does not take a report of an earlier operation for the next one',
      [simulated, assigned('a'), about('a', 'Succeeded'), assigned('b'), about('a', 'Succeeded')],
      [
        'follow simulated | unseen - -',
        'wake | unseen a Unknown often',
        'report | v1.30.9 a Succeeded since 2 often',
        'wake | v1.30.9 b Unknown since 2 often',
        'report | v1.30.9 b Unknown since 2 often',
      ],
    ],
    [
      'looks at once when an adopted operation becomes its own, or is withdrawn',
      [simulated, assigned('a', true), assigned('a', false), assigned(undefined), assigned(undefined)],
      [
        'follow simulated | unseen - -',
        'wake | unseen a Unknown often',
        'wake | unseen a Unknown often',
        'wake | unseen - -',
        'none | unseen - -',
      ],
    ],
    [
      'is about an operation in trouble: Unknown, since it last heard of it',
      [simulated, assigned('a'), about('a', 'Running'), missed, about('a', 'Running')],
      [
        'follow simulated | unseen - -',
        'wake | unseen a Unknown often',
        'report | v1.30.9 a Running since 2 often',
        'report | v1.30.9 a Unknown since 2 often',
        'report | v1.30.9 a Running since 2 often',
      ],
    ],
    [
      'an operation that the provider was never asked for is no news',
      [simulated, looked(), assigned('a', true), about('a', 'NotRequested')],
      [
        'follow simulated | unseen - -',
        'report | v1.30.9 - - since 1',
        'wake | v1.30.9 a Unknown since 1 often',
        'report | v1.30.9 a NotRequested since 1 often',
      ],
    ],
    [
      'looks often while someone else upgrades the member',
      [simulated, looked(), foreign, looked()],
      [
        'follow simulated | unseen - -',
        'report | v1.30.9 - - since 1',
        'report | v1.30.9 - Running since 2 often',
        'report | v1.30.9 - - since 3',
      ],
    ],
    [
      'remembers an operation for a provider that comes later',
      [assigned('a'), simulated, about('a', 'Running')],
      ['wake | nothing often', 'follow simulated | unseen a Unknown often', 'report | v1.30.9 a Running since 2 often'],
    ],
  ])('%s', (_, events, expected) => {
    expect(told(events)).toEqual(expected);
  });

  it('keeps the value of an observation as long as nothing changed', () => {
    const step = (from: typeof firstUpgradeWatch, event: Untimed) =>
      nextUpgradeWatch(from, { ...event, atMs: noon } as UpgradeWatchEvent).state;
    const first = step(step(firstUpgradeWatch, simulated), looked());
    expect(step(first, looked({ seen: { ...seen } })).observation).toBe(first.observation);
  });
});
