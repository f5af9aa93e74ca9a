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
    '00:26  web-1        soaks (ends at 01:26, in 6s)\n',
    '00:26  web-1        soaks\n',
    '00:26  web-1        soaks\n',
  ]);
});
