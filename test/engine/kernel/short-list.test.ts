import { expect, it } from 'vitest';
import { listUpTo, shortList } from '../../../src/engine/kernel/short-list.ts';

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a; b; c'],
  [['a', 'b', 'c', 'd'], 'a; b; c and 1 more'],
])('of %j at most three are named', (texts, expected) => {
  expect(listUpTo(texts, 3, '; ')).toBe(expected);
});

it.each([
  ['abcde', 'a, b, c, d, e'],
  ['abcdef', 'a, b, c, d and 2 more'],
])('a single further name is not abbreviated: %s', (names, expected) => {
  expect(shortList([...names])).toBe(expected);
});
