import type { HoldReason, ToldHold } from '../../engine/plan-document.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { clustersOf } from '../grouped-holds.ts';
import { holdSubject } from '../hold-subject.ts';
import type { InForce } from '../in-force.ts';

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

/** What is held until somebody acts, and what time or the members may end. Not what a yes ends, which is asked for. */
export function held({ holds }: Pick<InForce, 'holds'>): {
  readonly byPeople: readonly string[];
  readonly others: readonly string[];
} {
  const { people = [], others = [] } = Object.groupBy(
    holds.filter(({ removalDigest }) => removalDigest === undefined),
    ({ reason }) => (needsPerson.has(reason) ? 'people' : 'others'),
  );
  return { byPeople: people.map(line), others: others.map(line) };
}

function line(hold: ToldHold): string {
  const { subject, reason, message, until } = hold;
  const end = until && !message.includes(until) ? ` (until ${until})` : '';
  const who = clustersOf(hold);
  return `- **${markdownText(holdSubject(subject))}** ${reason}: ${markdownText(who && `${who}: `)}${markdownText(message)}${end}`;
}
