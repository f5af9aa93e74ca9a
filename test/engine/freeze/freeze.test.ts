import { describe, expect, it } from 'vitest';
import type { FleetConfig } from '../../../src/api/gitfleet.ts';
import { freezeAt } from '../../../src/engine/freeze/freeze.ts';

type Written = NonNullable<FleetConfig['spec']['freeze']>;
const config = (freeze: Written): FleetConfig => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'FleetConfig',
  spec: { freeze },
});
const weekend = { name: 'weekend', schedule: '0 18 * * 5', duration: '60h' };
const frozen = (endsWhen: string, until?: string) => {
  const name = /^freeze (.*) (?:ends|is changed)/.exec(endsWhen)?.[1];
  return { kind: 'paused', endsWhen, until, ...(name && { freeze: name }) };
};
const none = (opensAt?: string) => ({ kind: 'none', pausesAt: opensAt });

// 2026-11-20 is a Friday.
describe('a freeze', () => {
  it.each<[rule: string, freeze: Written, now: string, expected: object]>([
    ['without any there is none', [], '2026-11-20T18:00:00Z', none()],
    ['begins later', [weekend], '2026-11-20T17:59:59Z', none('2026-11-20T18:00:00Z')],
    [
      'holds at its very beginning',
      [weekend],
      '2026-11-20T18:00:00Z',
      frozen('freeze weekend ends at 2026-11-23T06:00:00Z', '2026-11-23T06:00:00Z'),
    ],
    [
      'holds to the last second',
      [weekend],
      '2026-11-23T05:59:59Z',
      frozen('freeze weekend ends at 2026-11-23T06:00:00Z', '2026-11-23T06:00:00Z'),
    ],
    ['does not hold at its very end', [weekend], '2026-11-23T06:00:00Z', none('2026-11-27T18:00:00Z')],
    [
      'is where its zone is',
      [{ ...weekend, timeZone: 'America/New_York' }],
      '2026-11-20T22:59:00Z',
      none('2026-11-20T23:00:00Z'),
    ],
    [
      'that another follows without a gap ends with that one',
      [weekend, { name: 'monday', schedule: '0 6 * * 1', duration: '2h' }],
      '2026-11-21T00:00:00Z',
      frozen('freeze weekend ends at 2026-11-23T08:00:00Z', '2026-11-23T08:00:00Z'),
    ],
    [
      'with another at the same time names both',
      [weekend, { name: 'fair', schedule: '0 0 21 11 *', duration: '24h' }],
      '2026-11-21T12:00:00Z',
      frozen('freeze weekend, fair ends at 2026-11-23T06:00:00Z', '2026-11-23T06:00:00Z'),
    ],
    [
      'without a gap does not end',
      [{ name: 'always', schedule: '@daily', duration: '24h' }],
      '2026-11-21T12:00:00Z',
      frozen('freeze always is changed: it has no end'),
    ],
    [
      'that never starts is none',
      [{ name: 'never', schedule: '0 0 30 2 *', duration: '1h' }],
      '2026-11-21T12:00:00Z',
      none(),
    ],
    [
      'that is invalid holds until it is fixed',
      [weekend, { name: 'typo', schedule: 'fridays', duration: '1h' }],
      '2026-11-25T12:00:00Z',
      frozen('the invalid freeze typo is fixed'),
    ],
    [
      'of no duration cannot be read',
      [{ ...weekend, duration: '0s' }],
      '2026-11-25T12:00:00Z',
      frozen('the invalid freeze weekend is fixed'),
    ],
    [
      'in an unknown zone cannot be read',
      [{ ...weekend, timeZone: 'Mars/Olympus' }],
      '2026-11-25T12:00:00Z',
      frozen('the invalid freeze weekend is fixed'),
    ],
  ])('%s', (_, freeze, now, expected) => {
    expect(freezeAt(config(freeze), now)).toEqual(expected);
  });

  it('is none without a FleetConfig', () => {
    expect(freezeAt(undefined, '2026-11-20T18:00:00Z')).toEqual(none());
  });
});
