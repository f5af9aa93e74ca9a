import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../../../src/engine/kernel/instant.ts';
import { parseWindow, type WrittenWindow } from '../../../src/engine/window/parse-window.ts';
import { allClosedAt, firstOpening, type Window } from '../../../src/engine/window/window.ts';

function windowOf(written: WrittenWindow): Window {
  const parsed = parseWindow(written);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.window;
}
const text = (instant: number | undefined) => (instant === undefined ? undefined : formatInstant(instant));
const closesAt = (window: Window, at: string) => text(window.closesAt(parseInstant(at)!));
const opensAfter = (window: Window, at: string) => text(window.opensAfter(parseInstant(at)!));

// 2026-11-20 is a Friday.
const office = windowOf({ schedule: '0 9 * * 1-5', duration: '8h' });

describe('a window', () => {
  it.each([
    ['a millisecond before it opens', '2026-11-20T08:59:59.999Z', undefined],
    ['at the instant that it opens', '2026-11-20T09:00:00Z', '2026-11-20T17:00:00Z'],
    ['a millisecond before it closes', '2026-11-20T16:59:59.999Z', '2026-11-20T17:00:00Z'],
    ['at the instant that it closes', '2026-11-20T17:00:00Z', undefined],
  ])('%s', (_, at, expected) => {
    expect(closesAt(office, at)).toBe(expected);
  });

  it('opens next after the instant, also while it is open', () => {
    expect(opensAfter(office, '2026-11-20T08:00:00Z')).toBe('2026-11-20T09:00:00Z');
    expect(opensAfter(office, '2026-11-20T09:00:00Z')).toBe('2026-11-23T09:00:00Z');
  });

  it('longer than its period stays open', () => {
    const always = windowOf({ schedule: '@daily', duration: '25h' });
    expect(closesAt(always, '2026-11-20T00:30:00Z')).toBe('2026-11-21T01:00:00Z');
    expect(allClosedAt([always], parseInstant('2026-11-20T00:30:00Z')!)).toBeUndefined();
  });

  it('is open for hours that pass, whatever clocks do meanwhile', () => {
    const night = windowOf({ schedule: '0 0 * * *', duration: '4h', timeZone: 'Europe/Berlin' });
    expect(closesAt(night, '2026-03-28T23:30:00Z')).toBe('2026-03-29T03:00:00Z');
  });

  it('whose schedule never hits is closed for good', () => {
    const never = windowOf({ schedule: '0 0 30 2 *', duration: '1h' });
    expect(closesAt(never, '2026-11-20T00:00:00Z')).toBeUndefined();
    expect(opensAfter(never, '2026-11-20T00:00:00Z')).toBeUndefined();
  });
});

describe('several windows', () => {
  const evening = windowOf({ schedule: '0 17 * * 5', duration: '2h' });
  const at = parseInstant('2026-11-20T10:00:00Z')!;

  it('that follow one another without a gap close with the last', () => {
    expect(text(allClosedAt([office, evening], at))).toBe('2026-11-20T19:00:00Z');
  });

  it('none of which is open are closed now', () => {
    expect(allClosedAt([evening], at)).toBe(at);
  });

  it('open when the first opens', () => {
    expect(text(firstOpening([office, evening], at))).toBe('2026-11-20T17:00:00Z');
    expect(firstOpening([], at)).toBeUndefined();
  });
});

it('names every field that cannot be read', () => {
  expect(parseWindow({ schedule: '@every 1h', duration: '0s', timeZone: 'Mars/Olympus' })).toEqual({
    ok: false,
    faults: [
      { field: 'schedule', fault: '"@every 1h" is not a cron schedule' },
      { field: 'duration', fault: '"0s" is not a duration above 0' },
      { field: 'timeZone', fault: '"Mars/Olympus" is not a time zone' },
    ],
  });
});
