import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuantity } from '../../src/api/quantity.ts';
import { drawn } from '../support/law-runs.ts';

const nano = 1_000_000_000n;
const exact = (text: string): bigint => BigInt(parseQuantity(text)!.nanos);

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
    ['Ti', 0n],
    ['-E-9', 0n],
    ['0Ei', 0n],
    ['.0Pi', 0n],
    ['-0', 0n],
  ])('reads %s exactly', (text, nanos) => {
    expect(exact(text)).toBe(nanos);
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
    // No digit, and a suffix that Kubernetes does not compute with an int64.
    'Ei',
    '.Pi',
    '+.Ei',
    'e-10',
    '-E-45',
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

describe('nanos', () => {
  test.each([
    ['1000m', '1', 0],
    ['1Gi', '1024Mi', 0],
    ['1024', '1Ki', 0],
    ['1k', '1Ki', -1],
    ['0.1', '100m', 0],
    ['-0.1', '-100m', 0],
    ['1e2', '100', 0],
    ['1e-1', '0.1', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['9007199254740992n', '9007199254740991n', 1],
    ['9007199254740993n', '9007199254740992n', 1],
    ['-9007199254740992n', '-9007199254740991n', -1],
    ['9007199.254740993', '9007199254740993n', 0],
    ['1e300', '2e300', -1],
    ['8Ei', '7.9Ei', 1],
    ['-1', '1', -1],
    ['-64Gi', '1n', -1],
  ] as const)('%s against %s is %d', (a, b, order) => {
    const [left, right] = [parseQuantity(a)!.nanos, parseQuantity(b)!.nanos];
    expect([left < right, left === right, left > right]).toEqual([order < 0, order === 0, order > 0]);
  });

  test.each([
    ['0', 'number'],
    ['-0', 'number'],
    ['9007199254740991n', 'number'],
    ['9007199254740992n', 'bigint'],
    ['-9007199254740991n', 'number'],
    ['-9007199254740992n', 'bigint'],
    ['9007199.254740991', 'number'],
    ['9007199.254740992', 'bigint'],
    ['9007199.2547409911', 'bigint'],
    ['0000000000000000000001.000000000000000000', 'number'],
    ['8Mi', 'number'],
    ['9Mi', 'bigint'],
  ])('of %s are a %s: bigints only beyond the safe integers', (text, type) => {
    expect(typeof parseQuantity(text)!.nanos).toBe(type);
  });

  test('depend only on the digits and the power of ten', () => {
    const suffixes: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, E: 18, 'e-2': -2, e5: 5 };
    const amount = fc.record({
      digits: fc.stringMatching(/^\d{1,20}$/),
      point: fc.nat(9),
      suffix: fc.constantFrom(...Object.keys(suffixes)),
      sign: fc.constantFrom('', '+', '-'),
    });
    fc.assert(
      fc.property(amount, ({ digits, point, suffix, sign }) => {
        const at = Math.max(0, digits.length - point);
        const scale = suffixes[suffix]! + 9 - (digits.length - at);
        const size =
          scale >= 0 ? BigInt(digits) * 10n ** BigInt(scale) : ceilDivide(BigInt(digits), 10n ** BigInt(-scale));
        const { nanos } = parseQuantity(`${sign}${digits.slice(0, at)}.${digits.slice(at)}${suffix}`)!;
        expect(BigInt(nanos)).toBe(sign === '-' ? -size : size);
        expect(typeof nanos).toBe(size <= BigInt(Number.MAX_SAFE_INTEGER) ? 'number' : 'bigint');
      }),
      drawn(),
    );
  });
});

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;
