import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundsOf } from '../../../../src/api/property-operators.ts';
import { parseQuantity } from '../../../../src/api/quantity.ts';
import { listRows } from '../../../../src/engine/placement/compiled/bits.ts';
import { propertyColumn } from '../../../../src/engine/placement/compiled/columns.ts';
import { drawn } from '../../../support/law-runs.ts';

const operators = ['Lt', 'Le', 'Eq', 'Ne', 'Ge', 'Gt'] as const;

/** Rows of each operator, in its order. */
const rowsOf = (texts: readonly (string | undefined)[], expected: string): number[][] =>
  operators.map((operator) => listRows(propertyColumn(texts).within(boundsOf(operator, [expected])![0]!)));

describe('a property column', () => {
  test.each<[rule: string, texts: (string | undefined)[], expected: string, rows: number[][]]>([
    [
      'compares values, not texts',
      ['0.1', '100m', '1e-1', '0.11'],
      '0.1',
      [[], [0, 1, 2], [0, 1, 2], [3], [0, 1, 2, 3], [3]],
    ],
    ['orders negative values', ['-2', '-1', '1'], '-1', [[0], [0, 1], [1], [0, 2], [1, 2], [2]]],
    ['has no relation without a value', [undefined, 'lots', '', '1'], '1', [[], [3], [3], [], [3], []]],
    [
      'distinguishes values with the same float64',
      ['9007199254740992', '9007199254740993', '9007199254740994'],
      '9007199254740993',
      [[0], [0, 1], [1], [0, 2], [1, 2], [2]],
    ],
    [
      'distinguishes values at the last safe integer of billionths',
      ['9007199254740991n', '9007199254740992n', '9007199254740993n'],
      '9007199254740992n',
      [[0], [0, 1], [1], [0, 2], [1, 2], [2]],
    ],
    [
      'distinguishes negative values with the same float64',
      ['-68719476736000000001n', '-64Gi', '-68719476735999999999n'],
      '-64Gi',
      [[0], [0, 1], [1], [0, 2], [1, 2], [2]],
    ],
    [
      'distinguishes values whose billionths exceed every float64',
      ['1e300', '2e300', '3e300'],
      '2e300',
      [[0], [0, 1], [1], [0, 2], [1, 2], [2]],
    ],
  ])('%s', (_, texts, expected, rows) => {
    expect(rowsOf(texts, expected)).toEqual(rows);
  });

  test.each<[rule: string, texts: (string | undefined)[], min: number, max: number]>([
    ['are NaN without a value', [undefined, 'lots'], Number.NaN, Number.NaN],
    ['leave out what is not a quantity', ['lots', '2', undefined, '-1'], -1, 2],
    // 3 × 0.1 is not 0.3, and of two ways to write one value the first cluster's counts.
    ['are those of the first cluster that has the value', ['0.3', '300m'], 3 * 0.1, 3 * 0.1],
    ['are those of the first cluster that has the value', ['300m', '0.3'], 0.3, 0.3],
    ['are found among values that one float64 stands for', ['0.3', '64Gi', '68719476736000000001n'], 3 * 0.1, 2 ** 36],
    ['are found beyond every float64', ['2e300', '1e300', '3e300'], 1e300, 3e300],
  ])('smallest and largest %s', (_, texts, min, max) => {
    const column = propertyColumn(texts);
    expect([column.min, column.max]).toEqual([min, max]);
  });

  test.each<[rule: string, texts: (string | undefined)[], shares: number[]]>([
    ['run from the smallest to the largest', ['4', '2', '3'], [1, 0, 0.5]],
    ['are NaN without a value', ['4', undefined, 'lots', '2'], [1, Number.NaN, Number.NaN, 0]],
    ['are NaN where all values are the same', ['4', '4000m'], [Number.NaN, Number.NaN]],
    ['are NaN where no value is', [undefined], [Number.NaN]],
  ])('shares %s', (_, texts, shares) => {
    expect([...propertyColumn(texts).shares]).toEqual(shares);
  });

  test('agrees with exact integers, for any values and bounds', () => {
    const near = fc.constantFrom('9007199254740991', '9007199254740992', '9007199254740993', '68719476736000000000');
    const amount = fc.record({
      sign: fc.constantFrom('', '-'),
      digits: fc.oneof(near, near, fc.stringMatching(/^\d{1,19}$/)),
      suffix: fc.constantFrom('n', 'n', 'm', '', 'Ki', 'e3'),
    });
    const text = amount.map(({ sign, digits, suffix }) => sign + digits + suffix);
    const exact = (quantity: string): bigint => BigInt(parseQuantity(quantity)!.nanos);
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), text, (texts, expected) => {
        const than = exact(expected);
        const rowsWhere = (claim: (value: bigint) => boolean) =>
          texts.flatMap((one, row) => (claim(exact(one)) ? [row] : []));
        expect(rowsOf(texts, expected)).toEqual([
          rowsWhere((value) => value < than),
          rowsWhere((value) => value <= than),
          rowsWhere((value) => value === than),
          rowsWhere((value) => value !== than),
          rowsWhere((value) => value >= than),
          rowsWhere((value) => value > than),
        ]);
        const inOrder = texts.toSorted((a, b) => (exact(a) < exact(b) ? -1 : exact(a) > exact(b) ? 1 : 0));
        const last = texts.find((one) => exact(one) === exact(inOrder.at(-1)!))!;
        const column = propertyColumn(texts);
        expect([column.min, column.max]).toEqual([parseQuantity(inOrder[0]!)!.number, parseQuantity(last)!.number]);
      }),
      drawn(),
    );
  });
});
