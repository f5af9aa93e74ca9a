import { expect, it } from 'vitest';
import type { Problem } from '../../src/api/problem.ts';
import { effectMarkdown } from '../../src/report/effect/effect-markdown.ts';
import type { EffectText } from '../../src/report/effect/effect-text.ts';

const limit = 63_536;
const head = 'Plan of x merged. [The full plan](url) is there.';
const many = (count: number, line: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => line(at));
const row = (name: string, removes = '-'): string[] => [name, removes, '-', '1', '1', 'ams', '-'];
const nothing: EffectText = {
  title: 'removes 40 objects',
  rows: [],
  changes: [],
  rollout: [],
  upgrades: [],
  nodes: [],
  forecast: 'Everything is done.',
  guard: [],
  isEmpty: true,
};
const problem = (message: string): Problem => ({ severity: 'error', code: 'forge', message });
const markdown = (text: Partial<EffectText>, problems: readonly Problem[] = []): string =>
  effectMarkdown({ ...nothing, ...text }, { head, problems, limit });

const removal = { title: 'web: Namespace payments removed', diff: '', isRemoval: true };
const upgrades = ['run all: upgrades 40 clusters'];
const long = 'x'.repeat(2_000);

it.each<[string, Partial<EffectText>, readonly Problem[], RegExp]>([
  [
    'rows',
    { rows: [...many(1_500, (at) => `p${at}`).map((name) => row(name)), row('web', '40')] },
    [],
    /… and 1401 more placements\./,
  ],
  [
    'long rows',
    { rows: [...many(99, (at) => `p${at}${long}`).map((name) => row(name)), row('web', '40')] },
    [],
    /… and 9\d more placements\./,
  ],
  ['lines of the rollout', { rollout: many(5_000, (at) => `p${at}: rolls out`) }, [], /- … and 4900 more/],
  ['lines of nodes', { nodes: many(5_000, (at) => `c${at}${long}`) }, [], /- … and 4999 more/],
  ['findings of the guard', { guard: many(5_000, (at) => `g${at}${long}`) }, [], /- … and 4997 more/],
  ['problems', {}, many(500, (at) => `p${at}`).map(problem), /… and \d+ more problems\./],
  ['long problems', {}, many(50, (at) => `p${at} ${long}`).map(problem), /… and \d+ more problems\./],
  [
    'changes',
    { changes: [removal, ...many(200, (at) => `c${at}`).map((title) => ({ title, diff: long, isRemoval: false }))] },
    [],
    /left out/,
  ],
  ['a long title', { title: long.repeat(100) }, [], /x…\n/],
])('%s do not push out anything else, and what is cut is counted', (_, text, problems, cut) => {
  const body = markdown({ changes: [removal], upgrades, rows: [row('web', '40')], ...text }, problems);
  expect(body.length).toBeLessThanOrEqual(limit);
  expect(body.split('\n').slice(1, 4)).toEqual([expect.stringMatching(/^### gitfleet plan: /), '', head]);
  expect(body).toContain('| web | **40** |');
  expect(body).toContain('**web: Namespace payments removed**');
  expect(body).toContain(`- ${upgrades[0]}`);
  expect(body).toMatch(cut);
});

it('a text that is cut nevertheless says so', () => {
  const body = markdown({ forecast: long.repeat(100) });
  expect(body.length).toBeLessThanOrEqual(limit);
  expect(body).toMatch(/\n… cut here: `gitfleet plan -o table` has all\.\n$/);
});
