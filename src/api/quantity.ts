/** A Kubernetes quantity: `250m`, `1.5`, `64Gi`, `12e6`. */
export interface Quantity {
  /** The exact value in billionths, for comparison. */
  readonly nanos: bigint;
  /** The approximate value; the last bit depends on how the text was written, as in `AsApproximateFloat64`. */
  readonly number: number;
}

/**
 * Parses what Kubernetes' `resource.ParseQuantity` accepts, odd texts such as `.` (zero) included; undefined for the rest.
 * Below a billionth it rounds away from zero, above 2^63-1 binary suffixes are capped. Unlike Kubernetes we refuse what is
 * not finite as a float64 (`1e400`), since nothing can be computed with it.
 */
export function parseQuantity(text: string): Quantity | undefined {
  const match = quantityText.exec(text);
  if (!match || text === '') return undefined;
  const suffix = readSuffix(match[4]!);
  if (suffix === undefined) return undefined;
  const [, sign, , denominator = ''] = match;
  const numerator = match[2] === '' ? '0' : match[2]!;
  const { base, exponent } = suffix;
  const digits = BigInt(numerator + denominator);
  if (digits === 0n) return { nanos: 0n, number: 0 };
  const magnitude =
    base === 2 ? binary(numerator, denominator, digits, exponent) : decimal(numerator, denominator, digits, exponent);
  if (!Number.isFinite(magnitude.number)) return undefined;
  return sign === '-' ? { nanos: -magnitude.nanos, number: -magnitude.number } : magnitude;
}

/** Exact: `1000m` equals `1`, `1Gi` equals `1024Mi`. */
export const compareQuantities = (a: Quantity, b: Quantity): -1 | 0 | 1 =>
  a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;

const quantityText = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
}

function readSuffix(text: string): Suffix | undefined {
  const decimal = Object.hasOwn(decimalSuffixes, text) ? decimalSuffixes[text] : undefined;
  if (decimal !== undefined) return { base: 10, exponent: decimal };
  const power = Object.hasOwn(binarySuffixes, text) ? binarySuffixes[text] : undefined;
  if (power !== undefined) return { base: 2, exponent: power };
  return /^[eE][-+]?\d+$/.test(text) ? { base: 10, exponent: Number(text.slice(1)) } : undefined;
}

// Kubernetes keeps up to 18 digits as an integer and a power of ten, and everything else as billionths. The exact value is
// the same either way, the float64 made from it is not: hence the two branches in what follows.
const maxDigits = 18;

function decimal(numerator: string, denominator: string, digits: bigint, exponent: number): Quantity {
  const scale = exponent - denominator.length;
  if (scale > 400) return { nanos: digits, number: Number.POSITIVE_INFINITY };
  const kept = numerator.length + denominator.length <= maxDigits && scale >= -9;
  if (kept) return { nanos: digits * 10n ** BigInt(scale + 9), number: Number(digits) * pow10(scale) };
  // So far below a billionth that only the rounding is left; also keeps `1e-2000000000` from being computed.
  if (scale < -9 - (numerator.length + denominator.length)) return { nanos: 1n, number: pow10(-9) };
  const nanos = scale >= -9 ? digits * 10n ** BigInt(scale + 9) : ceilDivide(digits, 10n ** BigInt(-9 - scale));
  return { nanos, number: Number(nanos) * pow10(-9) };
}

const maxBinary = 2n ** 63n - 1n;

function binary(numerator: string, denominator: string, digits: bigint, exponent: number): Quantity {
  const shifted = digits * 2n ** BigInt(exponent);
  const room = 15 - numerator.length - Math.trunc((exponent * 3) / 10) - 1;
  if (denominator === '' && room >= 0 && shifted <= maxBinary) {
    return { nanos: shifted * 1_000_000_000n, number: Number(shifted) };
  }
  const nanos = ceilDivide(shifted * 1_000_000_000n, 10n ** BigInt(denominator.length));
  if (nanos > maxBinary * 1_000_000_000n) return { nanos: maxBinary * 1_000_000_000n, number: Number(maxBinary) };
  return { nanos, number: Number(nanos) * pow10(-9) };
}

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

/** Go's `math.Pow10`: beyond 10^31 the product of two roundings. */
function pow10(exponent: number): number {
  if (exponent < 0) return 1 / Number(`1e${-exponent}`);
  return exponent < 32
    ? Number(`1e${exponent}`)
    : Number(`1e${exponent - (exponent % 32)}`) * Number(`1e${exponent % 32}`);
}
