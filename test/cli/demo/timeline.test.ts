import { expect, it } from 'vitest';
import { timeline } from '../../../src/cli/demo/timeline.ts';
import { formatInstant } from '../../../src/engine/kernel/instant.ts';
import type { Clock } from '../../../src/members/clock.ts';

it('a wait shows when it ends, in simulated and in real time', () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const lines: string[] = [];
  const out = { isTTY: false, write: (text: string) => lines.push(text) > 0 };
  const output = timeline({ now: () => now } as Clock, 10, out);
  now += 26_000;
  const waiting = { tone: 'waiting', subject: 'web-1', text: 'soaks' } as const;
  output.line({ ...waiting, until: formatInstant(now + 60_000) });
  output.line(waiting);
  output.line({ ...waiting, until: formatInstant(now - 1) });
  expect(lines).toEqual([
    '00:26  web-1        soaks (ends at 01:26, in 6s of real time)\n',
    '00:26  web-1        soaks\n',
    '00:26  web-1        soaks\n',
  ]);
});

it('has one clock: instants are shown as the time since the start, except those before it and days after it', () => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const lines: string[] = [];
  const out = { isTTY: false, write: (text: string) => lines.push(text) > 0 };
  const output = timeline({ now: () => now } as Clock, 10, out);
  now += 26_000;
  const line = (text: string, until?: string) =>
    output.line({ tone: 'waiting', subject: 'web-1', text, ...(until && { until }) });
  line('finished at 2026-11-20T10:00:20Z, soaks until 2026-11-20T10:01:20Z', '2026-11-20T10:01:20.900Z');
  line('since 2026-11-19T10:00:00Z, frozen until 2026-11-28T10:00:00Z');
  expect(lines).toEqual([
    '00:26  web-1        finished at 00:20, soaks until 01:20 (in 5s of real time)\n',
    '00:26  web-1        since 2026-11-19T10:00:00Z, frozen until 2026-11-28T10:00:00Z\n',
  ]);
});
