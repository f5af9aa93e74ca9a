import type { HoldReason, ToldHold } from '../../engine/plan-document.ts';
import { clustersOf } from '../grouped-holds.ts';
import { holdSubject } from '../hold-subject.ts';
import { type Item, list, type SectionInput, type SectionSource } from './section.ts';

/** Whatever time and the members do, these stay until a file is changed, or something on a member. */
const needsPerson: ReadonlySet<HoldReason> = new Set([
  'RecordLost',
  'LastGoodVersion',
  'StrategyNotFound',
  'StateTransitionDenied',
  'ApprovalStale',
  'ApprovalWithdrawn',
  'ContainsForeignObjects',
  'RemovalRefused',
]);

export const waitingForUser: SectionSource = (input) => list('Waiting for user action', itemsOf(input, true));

/** What time or the clusters may end. */
export const held: SectionSource = (input) => list('Held', itemsOf(input, false));

/** Without what an approval ends, which is asked for. */
const itemsOf = ({ inForce: { holds } }: SectionInput, forUser: boolean): Item[] =>
  holds
    .filter(({ removalDigest, reason }) => removalDigest === undefined && needsPerson.has(reason) === forUser)
    .map((hold) => ({ line: lineOf(hold) }));

function lineOf(hold: ToldHold): Item['line'] {
  const { subject, reason, message, until } = hold;
  const end = until && !message.includes(until) ? ` (until ${until})` : '';
  const who = clustersOf(hold);
  return [{ bold: holdSubject(subject) }, ` ${reason}: ${who && `${who}: `}${message}${end}`];
}
