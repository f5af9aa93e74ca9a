import { expect, it } from 'vitest';
import { shortened } from '../../../src/engine/kernel/shortened.ts';

it.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['abcd', 1, '…'],
])('%j in at most %i characters is %j', (text, most, told) => {
  expect(shortened(text, most)).toBe(told);
});
