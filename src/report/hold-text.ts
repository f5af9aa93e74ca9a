import { isWork } from '../api/kinds.ts';
import { titleOf } from '../repo/title-of.ts';
import { clustersOf, messageOf } from './grouped-holds.ts';
import type { HeldObject } from './holds-of.ts';
import type { Line } from './sections/section.ts';
import { wholeSeconds } from './whole-seconds.ts';

/** A hold of a plan, or one that the status branch lists. */
interface AnyHold {
  readonly subject: HoldSubject;
  readonly reason: string;
  readonly message: string;
  readonly until?: string | undefined;
  readonly clusters?: readonly string[] | undefined;
  readonly count?: number | undefined;
}

interface HoldSubject extends HeldObject {
  readonly stage?: string | undefined;
  readonly group?: string | undefined;
  readonly clusterName?: string | undefined;
}

/** A hold as a line of a list: subject, reason, clusters that wait for the same, sentence, and when time alone ends it. */
export const holdLine = (hold: AnyHold): Line => [
  { bold: holdSubject(hold.subject) },
  ` ${textOf(hold, clustersOf(hold))}`,
];

/** The same after its subject and its clusters. */
export const holdText = (hold: AnyHold): string => textOf(hold, '');

/** The same, with the clusters that it is about. */
export const holdOfClusters = (hold: AnyHold): string => textOf(hold, hold.subject.clusterName ?? clustersOf(hold));

function textOf(hold: AnyHold, clusters: string): string {
  return wholeSeconds(`${hold.reason}: ${clusters && `${clusters}: `}${messageOf(hold)}${holdEnd(hold)}`);
}

/** ` (until …)`, where time alone ends it. Budgets of a NodePool only change then, perhaps to less: nodes go as others are done. */
export function holdEnd({ reason, message, until }: Pick<AnyHold, 'reason' | 'message' | 'until'>): string {
  if (!until || message.includes(until)) return '';
  return reason === 'NodeBudget' ? ` (they change at ${until})` : ` (until ${until})`;
}

/**
 * What a hold is about: `shop/web · production · eu-1`, as far as it names them. The kind comes first for
 * objects that are not rolled out by themselves: a Deployment and its ConfigMap often have one name.
 */
export const holdSubject = (subject: HoldSubject): string =>
  [titled(subject), subject.stage, subject.group, subject.clusterName].filter(Boolean).join(' · ');

const titled = (subject: HoldSubject): string =>
  isWork(subject.kind) ? titleOf(subject) : `${subject.kind} ${titleOf(subject)}`;
