import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import type { Launchable } from '../launch/launchables.ts';
import { hasMinValues, type NewNode } from '../simulate/new-node.ts';
import { byPrice, chooseFrom } from './choose.ts';
import type { DraftReplacement } from './plan-state.ts';

/** Spot nodes are replaced one by one only where so many types are left, which ends endless hopping between them. */
const leastSpotTypes = 15;

/**
 * The replacement by which nodes of known price save something (core `consolidation.go`), or why there is none. A node of several types
 * is charged with the dearest offering that a launch could end up with.
 */
export function cheaperReplacement(
  leaving: readonly ClusterNode[],
  node: NewNode,
  gates: { readonly SpotToSpotConsolidation: boolean },
): DraftReplacement | string {
  const before = priceOf(leaving);
  if (before === undefined) return 'a node of unknown price is not replaced to save money';
  const admitsSpot = node.admits.has('spot');
  const isAllSpot = leaving.every(({ capacityType }) => capacityType === 'spot');
  const known = node.options.filter(({ price }) => price !== undefined);
  if (isAllSpot && admitsSpot) {
    if (!gates.SpotToSpotConsolidation)
      return 'spot nodes are not replaced by spot nodes: SpotToSpotConsolidation is off';
    const spot = known.filter(({ capacityType }) => capacityType === 'spot');
    const left = keepTypes(spot, (offerings) => worstPrice(offerings)! < before);
    return spotReplacement(leaving, node, left);
  }
  // Where both are allowed a shortage of spot must not end in a dearer node.
  const narrowed = admitsSpot ? known.filter(({ capacityType }) => capacityType !== 'on-demand') : known;
  const left = keepTypes(narrowed, (offerings) => worstPrice(offerings)! < before);
  return finished(leaving, node, left);
}

function spotReplacement(
  leaving: readonly ClusterNode[],
  node: NewNode,
  left: readonly Launchable[],
): DraftReplacement | string {
  if (leaving.length > 1) return finished(leaving, node, left);
  const types = [...new Set([...left].sort(byPrice).map(({ type }) => type.name))];
  if (types.length < leastSpotTypes)
    return `${types.length} cheaper types of spot nodes are left, fewer than ${leastSpotTypes}`;
  const ofCheapest = (most: number): readonly Launchable[] => {
    const cheapest = new Set(types.slice(0, most));
    return left.filter(({ type }) => cheapest.has(type.name));
  };
  let most = leastSpotTypes;
  while (most < types.length && !hasMinValues(node.from, ofCheapest(most))) most++;
  return finished(leaving, node, ofCheapest(most));
}

function finished(
  leaving: readonly ClusterNode[],
  node: NewNode,
  cheaper: readonly Launchable[],
): DraftReplacement | string {
  if (cheaper.length === 0) return 'no cheaper node holds the pods';
  const left = leaving.length > 1 ? withoutSameTypes(leaving, cheaper) : cheaper;
  if (left.length === 0) return 'a cheaper node would be of a type that is removed';
  if (!hasMinValues(node.from, left)) return 'too few cheaper types for the minValues of the pool';
  return chooseFrom(node, launchedAs(left));
}

/** Of a type that is removed only what is strictly cheaper than the cheapest node of it: otherwise that one could stay. */
function withoutSameTypes(leaving: readonly ClusterNode[], options: readonly Launchable[]): readonly Launchable[] {
  const offered = new Set(options.map(({ type }) => type.name));
  const shared = leaving.filter(({ instanceType }) => instanceType !== undefined && offered.has(instanceType));
  const least = Math.min(...shared.map(({ price }) => price ?? 0), Number.POSITIVE_INFINITY);
  return keepTypes(options, (offerings) => worstPrice(offerings)! < least);
}

function keepTypes(
  options: readonly Launchable[],
  keeps: (offerings: readonly Launchable[]) => boolean,
): readonly Launchable[] {
  return [...Map.groupBy(options, ({ type }) => type).values()].filter(keeps).flat();
}

/** The dearest offering of the capacity type that would be launched: reserved, else spot, else on-demand. */
export const worstPrice = (offerings: readonly Launchable[]): number | undefined => {
  const launched = launchedAs(offerings).map(({ price }) => price ?? Number.POSITIVE_INFINITY);
  return launched.length === 0 ? undefined : Math.max(...launched);
};

/** Of each type the offerings of the capacity type that comes first. */
function launchedAs(offerings: readonly Launchable[]): readonly Launchable[] {
  return [...Map.groupBy(offerings, ({ type }) => type).values()].flatMap((same) => {
    for (const wanted of ['reserved', 'spot', 'on-demand']) {
      const found = same.filter(({ capacityType }) => capacityType === wanted);
      if (found.length > 0) return found;
    }
    return [];
  });
}

/** Per hour, of all together; undefined where one of them is not known. */
export function priceOf(nodes: readonly { readonly price: number | undefined }[]): number | undefined {
  let total = 0;
  for (const { price } of nodes) {
    if (price === undefined) return undefined;
    total += price;
  }
  return total;
}
