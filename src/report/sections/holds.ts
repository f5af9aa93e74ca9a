import type { Plan } from '../../engine/plan-document.ts';
import { groupHolds } from '../grouped-holds.ts';
import { meaningOf } from '../hold-reasons.ts';
import { holdLine } from '../hold-text.ts';
import { type Item, list, type SectionInput, type SectionSource } from './section.ts';

/** Whatever time and the members do, these stay until a file is changed, or something on a member. */
export const waitingForUser: SectionSource = (input) => {
  // The error in the file counts already.
  const inFiles = input.inEffect.holds.filter(({ reason }) => reason === 'LastGoodVersion').length;
  const items = itemsOf(input, true);
  return list('Waiting for user action', items, { attention: Math.max(items.length - inFiles, 0) });
};

/** What time or the clusters may end. */
export const held: SectionSource = (input) => list('Held', itemsOf(input, false));

/** All holds of a plan. */
export const heldItems = (holds: Plan['holds']): Item[] => groupHolds(holds).map((hold) => ({ line: holdLine(hold) }));

/** Without holds that an approval ends: those are among the requests. */
const itemsOf = ({ inEffect: { holds } }: SectionInput, forUser: boolean): Item[] =>
  holds
    .filter((hold) => hold.removalDigest === undefined && (meaningOf(hold).endsBy === 'user') === forUser)
    .map((hold) => ({ line: holdLine(hold) }));
