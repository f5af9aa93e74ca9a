import { expect, it } from 'vitest';
import { listUpTo, shortList } from '../../../src/engine/kernel/short-list.ts';

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a; b; c'],
  [['a', 'b', 'c', 'd'], 'a; b; c and 1 more'],
])('of %j at most three are named', (texts, told) => {
  expect(listUpTo(texts, 3, '; ')).toBe(told);
});

it.each([
  ['abcde', 'a, b, c, d, e'],
  ['abcdef', 'a, b, c, d and 2 more'],
])('of few names none is left out alone: %s', (names, told) => {
  expect(shortList([...names])).toBe(told);
});
