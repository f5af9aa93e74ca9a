import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addRow, everyRow, listRows, noRows } from '../../../../src/engine/placement/compiled/bits.ts';
import { drawn } from '../../../support/law-runs.ts';

test('rows are listed in ascending order, at most as many as requested', () => {
  const size = 130;
  const rows = fc.uniqueArray(fc.nat(size - 1)).map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(rows, fc.integer({ min: -1, max: size + 1 }), (list, limit) => {
      const bits = noRows(size);
      for (const row of list) addRow(bits, row);
      expect(listRows(bits)).toEqual(list);
      expect(listRows(bits, limit)).toEqual(list.slice(0, Math.max(0, limit)));
    }),
    drawn(),
  );
});

test.each([0, 1, 31, 32, 33, 64])('all rows of a fleet of %d are listed', (size) => {
  expect(listRows(everyRow(size))).toEqual(Array.from({ length: size }, (_, row) => row));
  expect(listRows(noRows(size))).toEqual([]);
});
