import type { Fleet } from '../engine/input.ts';
import { currencyOf } from '../engine/nodes/launch/market.ts';
import { labelsOf } from '../engine/placement/members.ts';

/** Hours of a month, as prices are compared. */
export const monthHours = 730;

/** `312.5 EUR`; the amount alone where the currency is not known. */
export const money = (amount: number, currency: string | undefined): string =>
  [Number(amount.toFixed(amount < 10 ? 4 : 2)), ...(currency === undefined ? [] : [currency])].join(' ');

/** Of the prices of each cluster, as far as they are known. */
export type Currencies = (cluster: string) => string | undefined;

export function currenciesOf({ members, priceLists }: Pick<Fleet, 'members' | 'priceLists'>): Currencies {
  const known = new Map<string, (typeof members)[number]>(members.map((member) => [member.metadata.name, member]));
  return (cluster) => {
    const member = known.get(cluster);
    return member && currencyOf(labelsOf(member), priceLists);
  };
}
