import { parseQuantity } from '../../api/quantity.ts';

/**
 * An amount of a resource or property for people, so that all amounts of it have one unit: memory in Gi, anything else without one.
 * `3950m` is 3.95, `16744448Ki` is 15.97Gi. Whole numbers are exact, others have as many `digits`; what is no quantity stays as it is.
 */
export function amountText(name: string, amount: string | number, digits = 4): string {
  const number = typeof amount === 'number' ? amount : parseQuantity(amount)?.number;
  if (number === undefined) return String(amount);
  return inGi.test(name) ? `${rounded(number / 2 ** 30, digits)}Gi` : String(rounded(number, digits));
}

/** `memory` as a resource, and `…/available-memory` as a property. */
const inGi = /(?:^|-)memory$/;

const rounded = (number: number, digits: number): number =>
  Number.isInteger(number) ? number : Number(number.toPrecision(digits));
