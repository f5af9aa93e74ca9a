import type { PriceList } from '../../../api/gitfleet.ts';
import type { CapacityType, InstanceCatalog } from '../../../api/nodes/instance-catalog.ts';
import type { Fleet } from '../../input.ts';
import { memoize } from '../../kernel/memoize.ts';
import { sameValue } from '../../kernel/same-value.ts';
import { type Labels, matchesSelector } from '../../kernel/selector.ts';
import { type Amounts, amountsOf, minus } from '../../node-pools/resources.ts';

export const typeLabel = 'node.kubernetes.io/instance-type';
export const zoneLabel = 'topology.kubernetes.io/zone';
export const capacityLabel = 'karpenter.sh/capacity-type';
export const hostnameLabel = 'kubernetes.io/hostname';

export interface InstanceType {
  readonly name: string;
  readonly labels: Labels;
  readonly capacity: Amounts;
  readonly allocatable: Amounts;
  readonly offerings: readonly Offering[];
}

/** A type in a zone with a capacity type. */
export interface Offering {
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly available: boolean;
  /** Per hour; undefined = unknown. */
  readonly price: number | undefined;
}

/** What a cluster can launch, and what nodes cost there. */
export interface Market {
  /** By name; undefined = no catalog applies, so that nothing can be launched and no type is ever gone. */
  readonly types: ReadonlyMap<string, InstanceType> | undefined;
  readonly currency: string | undefined;
  readonly priceOf: (type: string, zone: string, capacityType: string) => number | undefined;
}

/** A value of one list that another list contradicts. */
export interface Contradiction {
  readonly kind: 'PriceList' | 'InstanceCatalog';
  readonly first: { readonly name: string; readonly path: string };
  readonly second: { readonly name: string; readonly path: string };
  readonly message: string;
}

/** {@link marketOf} of the lists of a fleet: clusters to which the same ones apply share their market. */
export const marketsOf = memoize(({ priceLists, instanceCatalogs }: Pick<Fleet, 'priceLists' | 'instanceCatalogs'>) => {
  const known = new Map<string, ReturnType<typeof marketOf>>();
  return (labels: Labels): ReturnType<typeof marketOf> => {
    const key = [...priceLists, ...instanceCatalogs].map((list) => (appliesTo(list, labels) ? '1' : '0')).join('');
    const market = known.get(key) ?? marketOf(labels, priceLists, instanceCatalogs);
    known.set(key, market);
    return market;
  };
});

const appliesTo = ({ spec }: PriceList | InstanceCatalog, labels: Labels): boolean =>
  spec.clusterSelector === undefined || matchesSelector(spec.clusterSelector, labels);

/** The currency of a cluster's prices; undefined where no list applies. */
export const currencyOf = (labels: Labels, lists: readonly PriceList[]): string | undefined =>
  lists.find((list) => appliesTo(list, labels))?.spec.currency;

/** The lists and catalogs of one cluster, united. Of contradictory values the first counts. */
export function marketOf(
  labels: Labels,
  lists: readonly PriceList[],
  catalogs: readonly InstanceCatalog[],
): { readonly market: Market; readonly contradictions: readonly Contradiction[] } {
  const applies = (list: PriceList | InstanceCatalog) => appliesTo(list, labels);
  const contradictions: Contradiction[] = [];
  const prices = unitePrices(lists.filter(applies), contradictions);
  const priceOf: Market['priceOf'] = (type, zone, capacityType) =>
    prices.get(`${type}\0${zone}\0${capacityType}`) ?? prices.get(`${type}\0\0${capacityType}`);
  const own = catalogs.filter(applies);
  const types = own.length === 0 ? undefined : uniteTypes(own, priceOf, contradictions);
  return { market: { types, currency: currencyOf(labels, lists), priceOf }, contradictions };
}

function unitePrices(lists: readonly PriceList[], contradictions: Contradiction[]) {
  const found = new Map<string, { readonly perHour: number; readonly name: string; readonly path: string }>();
  for (const { metadata, spec } of lists)
    spec.prices.forEach(({ instanceType, zone, capacityType, perHour }, at) => {
      const key = `${instanceType}\0${zone ?? ''}\0${capacityType}`;
      const place = { name: metadata.name, path: `spec.prices.${at}` };
      const before = found.get(key);
      if (!before) found.set(key, { perHour, ...place });
      else if (before.perHour !== perHour)
        contradictions.push({
          kind: 'PriceList',
          first: before,
          second: place,
          message: `${instanceType} ${capacityType}${zone === undefined ? '' : ` in ${zone}`} costs ${before.perHour} in PriceList ${before.name} and ${perHour} in PriceList ${metadata.name}`,
        });
    });
  const [first, ...others] = lists;
  for (const { metadata, spec } of others)
    if (spec.currency !== first!.spec.currency)
      contradictions.push({
        kind: 'PriceList',
        first: { name: first!.metadata.name, path: 'spec.currency' },
        second: { name: metadata.name, path: 'spec.currency' },
        message: `PriceList ${first!.metadata.name} is in ${first!.spec.currency} and PriceList ${metadata.name} in ${spec.currency}`,
      });
  return new Map([...found].map(([key, { perHour }]) => [key, perHour]));
}

function uniteTypes(
  catalogs: readonly InstanceCatalog[],
  priceOf: Market['priceOf'],
  contradictions: Contradiction[],
): ReadonlyMap<string, InstanceType> {
  const found = new Map<
    string,
    { readonly type: InstanceCatalog['spec']['instanceTypes'][number]; readonly name: string; readonly path: string }
  >();
  for (const { metadata, spec } of catalogs)
    spec.instanceTypes.forEach((type, at) => {
      const before = found.get(type.name);
      const place = { name: metadata.name, path: `spec.instanceTypes.${at}` };
      if (!before) found.set(type.name, { type, ...place });
      else if (!sameValue(before.type, type))
        contradictions.push({
          kind: 'InstanceCatalog',
          first: before,
          second: place,
          message: `the type ${type.name} is described differently in InstanceCatalog ${before.name} and InstanceCatalog ${metadata.name}`,
        });
    });
  return new Map(
    [...found.values()]
      .sort((a, b) => (a.type.name < b.type.name ? -1 : 1))
      .map(({ type: { name, labels = {}, capacity, overhead = {}, offerings } }) => [
        name,
        {
          name,
          labels: { ...labels, [typeLabel]: name },
          capacity: amountsOf(capacity),
          allocatable: minus(amountsOf(capacity), amountsOf(overhead)),
          offerings: offerings.flatMap(({ zones, capacityType, available }) =>
            zones.map((zone) => ({ zone, capacityType, available, price: priceOf(name, zone, capacityType) })),
          ),
        },
      ]),
  );
}
