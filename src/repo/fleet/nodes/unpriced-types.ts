import type { InstanceCatalog } from '../../../api/nodes/instance-catalog.ts';
import type { Problem } from '../../../api/problem.ts';
import { nearest } from '../../../api/syntax.ts';
import type { Fleet } from '../../../engine/input.ts';
import { matchesSelector } from '../../../engine/kernel/selector.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import { type Market, marketsOf } from '../../../engine/nodes/launch/market.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { fieldWarning } from '../field-warning.ts';

/**
 * Warnings about offerings of which no PriceList knows the price on some cluster: no node is replaced by one of them to save money.
 * None about catalogs of clusters to which no PriceList applies: nothing is meant to be saved there. None while an invalid file may
 * have the price.
 */
export function unpricedTypes(fleet: Fleet): Problem[] {
  if (fleet.unreadable.length > 0 || fleet.refused.some(({ kind }) => kind === 'PriceList')) return [];
  const marketOf = marketsOf(fleet);
  const labels = fleet.members.map(labelsOf);
  const listed = new Set(fleet.instanceCatalogs.flatMap(({ spec }) => spec.instanceTypes.map(({ name }) => name)));
  const priced = fleet.priceLists.flatMap(({ spec }) => spec.prices.map(({ instanceType }) => instanceType));
  const pricedAlone = [...new Set(priced)].filter((name) => !listed.has(name));
  return fleet.instanceCatalogs.flatMap(({ kind, metadata, spec }) => {
    const own = labels.filter((of) => spec.clusterSelector === undefined || matchesSelector(spec.clusterSelector, of));
    const markets = [...new Set(own.map((of) => marketOf(of).market))].filter(({ currency }) => currency !== undefined);
    return spec.instanceTypes.flatMap((type, at) => {
      const unpriced = withoutPrice(type, markets);
      if (unpriced.length === 0) return [];
      const like = priced.includes(type.name) ? undefined : nearest(type.name, pricedAlone);
      return fieldWarning(
        fleet,
        { kind, name: metadata.name },
        {
          code: 'no-price',
          path: `spec.instanceTypes.${at}.name`,
          why: `no PriceList has a price for ${type.name} ${shortList(unpriced)}: no node is replaced by it to save money`,
          fix: like ? `did you mean ${like}, which has a price?` : 'add the price to a PriceList',
        },
      );
    });
  });
}

/** `spot in eu-1a`, of all offerings whose price one of the markets lacks. */
const withoutPrice = (
  { name, offerings }: InstanceCatalog['spec']['instanceTypes'][number],
  markets: readonly Market[],
): string[] => [
  ...new Set(
    offerings.flatMap(({ capacityType, zones }) =>
      zones
        .filter((zone) => markets.some(({ priceOf }) => priceOf(name, zone, capacityType) === undefined))
        .map((zone) => `${capacityType} in ${zone}`),
    ),
  ),
];
