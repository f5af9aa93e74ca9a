import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { problemCodes } from '../../src/api/problem.ts';

it('every problem code is in docs/problems.md once, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/problems.md'), 'utf8');
  const documented = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code);
  expect(documented).toEqual([...problemCodes]);
});

it('problem codes are lower-case words with dashes', () => {
  expect(problemCodes.filter((code) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(code))).toEqual([]);
});
