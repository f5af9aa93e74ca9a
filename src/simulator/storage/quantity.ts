import { parseQuantity } from '../../api/quantity.ts';

const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * The canonical text of a quantity in Kubernetes (resource.Quantity, CanonicalizeBytes): `0.5` is `500m`, `1024Mi` is `1Gi`.
 * Undefined if the text is not a quantity.
 */
export function canonicalQuantity(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const parsed = parseQuantity(text);
  if (!parsed) return undefined;
  const nanos = BigInt(parsed.nanos);
  if (nanos === 0n) return '0';
  const whole = nanos % 1_000_000_000n === 0n;
  const magnitude = (nanos < 0n ? -nanos : nanos) / 1_000_000_000n;
  // Kubernetes writes small binary quantities in the decimal form: 512 bytes are not half a Ki.
  if (/[KMGTPE]i$/.test(text) && whole && magnitude >= 1024n) {
    let rest = nanos / 1_000_000_000n;
    let unit = 0;
    while (rest % 1024n === 0n && unit < binary.length - 1) {
      rest /= 1024n;
      unit++;
    }
    return `${rest}${binary[unit]}`;
  }
  let rest = nanos;
  let unit = 0;
  while (rest % 1000n === 0n && unit < decimal.length - 1) {
    rest /= 1000n;
    unit++;
  }
  if (/[eE][-+]?\d+$/.test(text)) return unit === 3 ? String(rest) : `${rest}e${(unit - 3) * 3}`;
  return `${rest}${decimal[unit]}`;
}
