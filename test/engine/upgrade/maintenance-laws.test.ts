import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MaintenanceConfiguration } from '../../../src/api/maintenance-configuration.ts';
import { weekday } from '../../../src/api/upgrade-fields.ts';
import { mayStart } from '../../../src/engine/guard/upgrade/maintenance.ts';
import { isOpen, maintenanceOf, nextClosing, nextOpening, openings } from '../../../src/engine/upgrade/maintenance.ts';
import { horizonMs } from '../../../src/engine/upgrade/maintenance-window.ts';
import { at, configurationOf, type WrittenWindow } from './maintenance-of.ts';

const two = (value: number): string => String(value).padStart(2, '0');
const date = fc
  .record({
    year: fc.integer({ min: 2025, max: 2027 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
  })
  .map(({ year, month, day }) => `${year}-${two(month)}-${two(day)}`);
const every = (max: number) => fc.integer({ min: 1, max });
const dayOfWeek = fc.constantFrom(...weekday.options);
const weekIndex = fc.constantFrom(
  'First' as const,
  'Second' as const,
  'Third' as const,
  'Fourth' as const,
  'Last' as const,
);

const window: fc.Arbitrary<WrittenWindow> = fc.record({
  schedule: fc.oneof(
    fc.record({ daily: fc.record({ intervalDays: every(7) }) }),
    fc.record({ weekly: fc.record({ intervalWeeks: every(4), dayOfWeek }) }),
    fc.record({ absoluteMonthly: fc.record({ intervalMonths: every(6), dayOfMonth: every(31) }) }),
    fc.record({ relativeMonthly: fc.record({ intervalMonths: every(6), weekIndex, dayOfWeek }) }),
  ),
  startDate: date,
  startTime: fc
    .record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.constantFrom(0, 30, 59) })
    .map(({ hour, minute }) => `${two(hour)}:${two(minute)}`),
  durationHours: fc.integer({ min: 4, max: 24 }),
  timeZone: fc.constantFrom(
    undefined,
    'Europe/Berlin',
    'America/New_York',
    'Africa/Cairo',
    'Australia/Lord_Howe',
    'America/Havana',
  ),
  notAllowedDates: fc.array(
    fc.record({ start: date, days: fc.integer({ min: 0, max: 20 }) }).map(({ start, days }) => ({
      start,
      end: new Date(Date.parse(start) + days * 86_400_000).toISOString().slice(0, 10),
    })),
    { maxLength: 3 },
  ),
});
const windows = fc.array(window, { minLength: 1, maxLength: 3 });
const instant = fc
  .integer({ min: at('2025-01-01T00:00:00Z') / 1000, max: at('2028-01-01T00:00:00Z') / 1000 })
  .map((seconds) => seconds * 1000);

const member = { name: 'eu-1', labels: {} };
const configured = (written: readonly WrittenWindow[]): readonly MaintenanceConfiguration[] =>
  written.map((of, index) => configurationOf(of, undefined, `window-${index}`));

describe('laws of maintenance windows', () => {
  it('a window is open when the guard, which looks at it in another way, finds it open', () => {
    fc.assert(
      fc.property(windows, fc.array(instant, { minLength: 10, maxLength: 20 }), (written, instants) => {
        const configurations = configured(written);
        const maintenance = maintenanceOf(configurations, member, 'Full')!;
        for (const now of instants)
          expect(isOpen(maintenance, now)).toBe(mayStart(configurations, member, { type: 'Full', now }));
      }),
      { numRuns: 300, seed: 15 },
    );
  });

  it('openings begin and end where it opens and closes, in order, and nothing is open between them', () => {
    fc.assert(
      fc.property(windows, instant, (written, from) => {
        const configurations = configured(written);
        const maintenance = maintenanceOf(configurations, member, 'Full')!;
        const mayStartAt = (now: number) => mayStart(configurations, member, { type: 'Full', now });
        let before = from;
        for (const { opensMs, closesMs } of openings(maintenance, from, 3)) {
          expect(mayStartAt(opensMs)).toBe(true);
          if (opensMs > from) {
            expect(mayStartAt(opensMs - 1)).toBe(false);
            for (let step = 1; step < 20; step++)
              expect(mayStartAt(before + Math.floor(((opensMs - before) * step) / 20))).toBe(false);
            expect(nextOpening(maintenance, opensMs - 1)).toBe(opensMs);
          }
          // One that goes on beyond what is looked at has no end.
          if (closesMs === undefined) break;
          expect(mayStartAt(closesMs)).toBe(false);
          expect(mayStartAt(closesMs - 1)).toBe(true);
          expect(nextClosing(maintenance, opensMs)).toBe(closesMs);
          expect(closesMs - opensMs).toBeLessThan(horizonMs);
          before = closesMs;
        }
      }),
      { numRuns: 80, seed: 15 },
    );
  });
});
