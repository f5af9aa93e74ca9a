import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareQuantities, parseQuantity } from '../../src/api/quantity.ts';

const nano = 1_000_000_000n;

describe('parseQuantity', () => {
  test.each<[text: string, nanos: bigint]>([
    ['0', 0n],
    ['1', nano],
    ['+5', 5n * nano],
    ['-3', -3n * nano],
    ['1.5', 1_500_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5n * nano],
    ['007', 7n * nano],
    ['250m', 250_000_000n],
    ['1u', 1000n],
    ['1n', 1n],
    ['2k', 2000n * nano],
    ['3M', 3_000_000n * nano],
    ['1G', 10n ** 9n * nano],
    ['1T', 10n ** 12n * nano],
    ['1P', 10n ** 15n * nano],
    ['1E', 10n ** 18n * nano],
    ['1Ki', 1024n * nano],
    ['1.5Gi', 1536n * 1024n * 1024n * nano],
    ['-2Mi', -2n * 1024n * 1024n * nano],
    ['12e6', 12_000_000n * nano],
    ['1E3', 1000n * nano],
    ['1e-3', 1_000_000n],
    ['1e+2', 100n * nano],
    // A decimal quantity is not capped, a binary one is, at 2^63-1.
    ['18446744073709551616', 18_446_744_073_709_551_616n * nano],
    ['8Ei', (2n ** 63n - 1n) * nano],
    ['-16Ei', -(2n ** 63n - 1n) * nano],
    // Below a billionth: away from zero.
    ['0.9n', 1n],
    ['-0.1n', -1n],
    ['1.0000000001', 1_000_000_001n],
    ['1e-2000000000', 1n],
    // Kubernetes reads these as zero.
    ['.', 0n],
    ['+', 0n],
    ['k', 0n],
    ['-0', 0n],
  ])('reads %s exactly', (text, nanos) => {
    expect(parseQuantity(text)?.nanos).toBe(nanos);
  });

  test.each([
    '',
    'lots',
    'v1.30.9',
    '1 ',
    ' 1',
    '1.2.3',
    '1ki',
    '1KiB',
    '5+3',
    '1e',
    '1e1.5',
    '1mm',
    '--1',
    '1e400',
    'NaN',
    '0x10',
  ])('refuses "%s"', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  test.each<[text: string, number: number]>([
    ['0.2', 0.2],
    // A power of ten is multiplied, as in Go, so the last bit depends on the way of writing.
    ['0.3', 3 * 0.1],
    ['300m', 0.3],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['64Gi', 64 * 2 ** 30],
    ['8Ei', 2 ** 63],
    ['-2.5', -2.5],
    ['1e40', 1e32 * 1e8],
    ['0', 0],
    ['-0', 0],
  ])('gives %s the float64 that Kubernetes computes with', (text, number) => {
    expect(parseQuantity(text)?.number).toBe(number);
  });
});

describe('compareQuantities', () => {
  test.each([
    ['1000m', '1', 0],
    ['1Gi', '1024Mi', 0],
    ['1024', '1Ki', 0],
    ['1k', '1Ki', -1],
    ['0.1', '100m', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['-1', '1', -1],
  ] as const)('%s against %s is %d', (a, b, order) => {
    expect(compareQuantities(parseQuantity(a)!, parseQuantity(b)!)).toBe(order);
  });

  test('orders integers with any decimal suffix as numbers', () => {
    const suffixes: Record<string, number> = { m: -3, '': 0, k: 3, M: 6 };
    const amount = fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(...Object.keys(suffixes)));
    fc.assert(
      fc.property(amount, amount, ([a, x], [b, y]) => {
        const exact = (value: number, suffix: string) => BigInt(value) * 10n ** BigInt(suffixes[suffix]! + 3);
        const expected = exact(a, x) < exact(b, y) ? -1 : exact(a, x) > exact(b, y) ? 1 : 0;
        expect(compareQuantities(parseQuantity(`${a}${x}`)!, parseQuantity(`${b}${y}`)!)).toBe(expected);
      }),
    );
  });
});
