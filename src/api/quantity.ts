/** A Kubernetes quantity: `250m`, `1.5`, `64Gi`, `12e6`. */
export interface Quantity {
  /**
   * The exact value in billionths; a bigint only beyond 2^53-1 on either side, so that equal values are `===`. `<` and `>` are
   * exact between the two types too.
   */
  readonly nanos: number | bigint;
  /** The approximate value; the last bit depends on how the text was written, as in `AsApproximateFloat64`. */
  readonly number: number;
}

/**
 * Parses what Kubernetes' `resource.ParseQuantity` accepts, including odd texts such as `.` (zero); otherwise undefined. Rounds away
 * from zero below a billionth, and caps binary suffixes above 2^63-1. Unlike Kubernetes it refuses values that are not finite as a
 * float64 (`1e400`), since nothing can be computed with them.
 *
 * A fleet has a hundred thousand property values, nearly all of few digits. So it uses no regular expression, and bigints only if a
 * float64 is not exact.
 */
export function parseQuantity(text: string): Quantity | undefined {
  if (text === '') return undefined;
  const sign = text.charCodeAt(0);
  const start = sign === minus || sign === plus ? 1 : 0;
  const from = afterZeros(text, start);
  const point = afterDigits(text, from);
  const fraction = text.charCodeAt(point) === dot ? point + 1 : point;
  const end = fraction > point ? afterDigits(text, fraction) : point;
  const suffix = readSuffix(text.slice(end));
  if (suffix === undefined || (point === start && end === fraction && !readsAsZero(suffix))) return undefined;
  const digits = readDigits(text, from, point, end);
  if (Number(digits) === 0) return { nanos: 0, number: 0 };
  const amount = { digits, whole: Math.max(point - from, 1), fraction: end - fraction };
  const magnitude = suffix.base === 2 ? binary(amount, suffix.exponent) : decimal(amount, suffix.exponent);
  if (!Number.isFinite(magnitude.number)) return undefined;
  return sign === minus ? { nanos: -magnitude.nanos, number: -magnitude.number } : magnitude;
}

const [plus, minus, dot, zero, nine] = [0x2b, 0x2d, 0x2e, 0x30, 0x39];

function afterZeros(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === zero) at++;
  return at;
}

function afterDigits(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) >= zero && text.charCodeAt(at) <= nine) at++;
  return at;
}

/** The digits from `from` to `end` as one integer, without the point; a bigint if a float64 may be inexact. */
function readDigits(text: string, from: number, point: number, end: number): number | bigint {
  if (end - from > 15) return BigInt(text.slice(from, point) + text.slice(point + 1, end));
  let digits = 0;
  for (let at = from; at < end; at++) if (at !== point) digits = digits * 10 + text.charCodeAt(at) - zero;
  return digits;
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
}

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...decimalSuffixes.map((text, at): [string, Suffix] => [text, { base: 10, exponent: at * 3 - 9 }]),
  ...binarySuffixes.map((text, at): [string, Suffix] => [text, { base: 2, exponent: at * 10 + 10 }]),
]);

const readSuffix = (text: string): Suffix | undefined =>
  suffixes.get(text) ?? (/^[eE][-+]?\d+$/.test(text) ? { base: 10, exponent: Number(text.slice(1)) } : undefined);

/**
 * Whether Kubernetes accepts the suffix without digits. With int64 arithmetic a missing number is zero; otherwise an empty number is
 * refused (apimachinery pkg/api/resource/quantity.go, ParseQuantity).
 */
const readsAsZero = ({ base, exponent }: Suffix): boolean =>
  base === 2 ? binaryRoom(1, exponent) >= 0 : exponent >= -9;

/** An integer that is not zero, and how many of its digits stand before (`.5` counts as `0.5`) and after the point. */
interface Amount {
  readonly digits: number | bigint;
  readonly whole: number;
  readonly fraction: number;
}

// Kubernetes keeps up to 18 digits as an integer and a power of ten, and everything else as billionths. The exact value is
// the same either way, the float64 made from it is not: hence the two branches in what follows.
const maxDigits = 18;

function decimal({ digits, whole, fraction }: Amount, exponent: number): Quantity {
  const scale = exponent - fraction;
  if (scale > 400) return { nanos: digits, number: Number.POSITIVE_INFINITY };
  const kept = whole + fraction <= maxDigits && scale >= -9;
  if (kept) return { nanos: timesPow10(digits, scale + 9), number: Number(digits) * pow10(scale) };
  // Far below a billionth only the rounding remains; this also avoids computing `1e-2000000000`.
  if (scale < -9 - (whole + fraction)) return { nanos: 1, number: pow10(-9) };
  return asNanos(scale >= -9 ? timesPow10(digits, scale + 9) : ceilDivide(BigInt(digits), 10n ** BigInt(-9 - scale)));
}

/** Remaining digits of an int64; negative if Kubernetes uses larger numbers. */
const binaryRoom = (whole: number, exponent: number): number => 15 - whole - Math.trunc((exponent * 3) / 10) - 1;

const maxBinary = 2n ** 63n - 1n;

function binary({ digits, whole, fraction }: Amount, exponent: number): Quantity {
  if (fraction === 0 && binaryRoom(whole, exponent) >= 0) {
    const shifted = Number(digits) * 2 ** exponent;
    return { nanos: timesPow10(shifted, 9), number: shifted };
  }
  const nanos = ceilDivide(BigInt(digits) * 2n ** BigInt(exponent) * 1_000_000_000n, 10n ** BigInt(fraction));
  if (nanos > maxBinary * 1_000_000_000n) return { nanos: maxBinary * 1_000_000_000n, number: Number(maxBinary) };
  return asNanos(nanos);
}

const asNanos = (nanos: number | bigint): Quantity => ({
  nanos: nanos <= Number.MAX_SAFE_INTEGER ? Number(nanos) : nanos,
  number: Number(nanos) * pow10(-9),
});

/** Exact for a positive integer and a power of at least 0, because a product below 2^53 is not rounded. */
function timesPow10(digits: number | bigint, power: number): number | bigint {
  const product = Number(digits) * pow10(power);
  return product <= Number.MAX_SAFE_INTEGER ? product : BigInt(digits) * 10n ** BigInt(power);
}

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

const tens = Array.from({ length: 32 }, (_, exponent) => Number(`1e${exponent}`));

/** Go's `math.Pow10` from 10^-31: beyond 10^31 the product of two roundings. */
function pow10(exponent: number): number {
  if (exponent < 0) return 1 / tens[-exponent]!;
  return exponent < 32 ? tens[exponent]! : Number(`1e${exponent - (exponent % 32)}`) * tens[exponent % 32]!;
}
