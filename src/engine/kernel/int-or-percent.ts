import type { IntOrPercent } from '../../api/meta.ts';

/** `scale('25%', 10, 'up')` is 3, `scale(4, 10, 'up')` is 4. Integers are never capped. `value` is valid by schema. */
export function scale(value: IntOrPercent, total: number, rounding: 'up' | 'down'): number {
  const text = String(value);
  if (!text.endsWith('%')) return Number(text);
  const hundredfold = Number(text.slice(0, -1)) * total;
  return rounding === 'up' ? Math.ceil(hundredfold / 100) : Math.floor(hundredfold / 100);
}
