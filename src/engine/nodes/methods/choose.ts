import { byText } from '../../kernel/ordering.ts';
import { chosenLabels, type Launchable } from '../launch/launchables.ts';
import type { NewNode } from '../simulate/new-node.ts';
import type { DraftReplacement } from './plan-state.ts';

/** By price, the unknown ones last; then by type, zone and capacity type. */
export const byPrice = (a: Launchable, b: Launchable): number =>
  (a.price ?? Number.POSITIVE_INFINITY) - (b.price ?? Number.POSITIVE_INFINITY) ||
  byText(a.type.name, b.type.name) ||
  byText(a.zone, b.zone) ||
  byText(a.capacityType, b.capacityType) ||
  0;

/** The cheapest of a new node's options, with the types that may stand in for it in its zone. */
export function chooseFrom(
  { from, open }: Pick<NewNode, 'from' | 'open'>,
  options: readonly Launchable[],
): DraftReplacement {
  const sorted = [...options].sort(orderOf);
  const chosen = sorted[0]!;
  const alike = sorted.filter(({ zone, capacityType }) => zone === chosen.zone && capacityType === chosen.capacityType);
  const labels = chosenLabels(new Map([...from.pool.template.requirements, ...open]), chosen.labels);
  return { pool: from.pool.name, chosen, options: [...new Set(alike.map(({ type }) => type.name))], labels };
}

/** Infinity − Infinity is no number. */
const orderOf = (a: Launchable, b: Launchable): number =>
  a.price === undefined && b.price === undefined ? byPrice({ ...a, price: 0 }, { ...b, price: 0 }) : byPrice(a, b);
