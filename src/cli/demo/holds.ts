import type { Hold, Plan } from '../../engine/plan-document.ts';
import { titleOf } from '../../repo/title-of.ts';
import { clustersOf, groupHolds } from '../../report/grouped-holds.ts';
import type { Told } from './told.ts';

const worthTelling: ReadonlySet<Hold['reason']> = new Set([
  'WaitingForApproval',
  'WaitingForTime',
  'UnavailablePeriod',
  'ApprovalStale',
  'ApprovalWithdrawn',
  'StateTransitionDenied',
  'Freeze',
  'RecordLost',
  'ContainsForeignObjects',
  'RemovalRefused',
  'RemovalPending',
  'LastGoodVersion',
  'NotActedOnYet',
  'OtherRunActive',
  'StrategyNotFound',
]);

/** What begins to wait for something that a person may want to know of. */
export function aboutHolds(before: Plan | undefined, next: Plan): Told[] {
  const known = new Set(before?.holds.map((hold) => `${hold.reason} ${hold.message}`));
  const news = next.holds.filter(
    (hold) => worthTelling.has(hold.reason) && !known.has(`${hold.reason} ${hold.message}`),
  );
  return groupHolds(news).map((hold) => {
    const who = clustersOf(hold);
    return {
      tone: 'waiting',
      subject: titleOf(hold.subject),
      text: who === '' ? briefly(hold) : `${who}: ${briefly(hold)}`,
      ...(hold.until === undefined ? {} : { until: hold.until }),
    };
  });
}

/** The line names its subject already, and nobody reads milliseconds. */
const briefly = ({ subject, message }: Hold): string =>
  message.replace(new RegExp(`^run ${subject.name}:? `), '').replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z/g, '$1Z');
