import { memoize } from '../engine/kernel/memoize.ts';
import type { GroupedHold, Hold, Plan } from '../engine/plan-document.ts';
import { meaningOf } from './hold-reasons.ts';

/** People and programs read a summary at a glance; it is written again with every change. */
export const mostHolds = 100;
/** Of one placement or run: a rollout of thousands of clusters must not crowd out the others. */
const mostOfOneRollout = 5;
const mostClusters = 10;

/**
 * What the status branch lists of `plan.holds`: at most a hundred that may need a fix, then as many of rollouts that wait for
 * their turn. Not what requests for approval and the stages of a run already report.
 */
export const listedHolds = ({ holds }: Pick<Plan, 'holds'>): readonly GroupedHold[] => listed(holds);

/** Summary, dashboard and demo list the same of one plan. */
const listed = memoize((holds: Plan['holds']): readonly GroupedHold[] => {
  const all = groupHolds(holds.filter((hold) => !isReportedElsewhere(hold)));
  const isTurn = (hold: GroupedHold): boolean => meaningOf(hold).endsBy === 'turn';
  const others = all.filter((hold) => !isTurn(hold));
  return [...others.slice(0, mostHolds), ...fewOfEach(all.filter(isTurn))];
});

const isReportedElsewhere = ({ reason, subject }: Hold): boolean =>
  reason === 'WaitingForApproval' ||
  reason === 'StageOrder' ||
  (reason === 'RolloutBudget' && subject.clusterName === undefined);

/** Holds with the same reason and sentence for several clusters become one. */
export function groupHolds(holds: readonly Hold[]): GroupedHold[] {
  const groups = new Map<string, Hold[]>();
  for (const hold of holds) {
    const { subject, reason, until, removalDigest } = hold;
    const of = [subject.kind, subject.namespace, subject.name, subject.stage];
    const key = JSON.stringify([
      ...of,
      reason,
      messageOf(hold),
      until,
      removalDigest,
      subject.clusterName !== undefined,
    ]);
    const group = groups.get(key);
    if (group) group.push(hold);
    else groups.set(key, [hold]);
  }
  return [...groups.values()].map((group) => {
    const [{ subject, ...rest }] = group as [Hold];
    const { clusterName, group: inGroup, ...scope } = subject;
    const clusters = group.flatMap((hold) => hold.subject.clusterName ?? []);
    if (clusters.length < 2) return group[0]!;
    // Groups of a stage run at the same time, and often wait for the same.
    const isOfOneGroup = inGroup !== undefined && group.every((hold) => hold.subject.group === inGroup);
    const of = isOfOneGroup ? { ...scope, group: inGroup } : scope;
    const message = messageOf(group[0]!);
    return { ...rest, subject: of, message, clusters: clusters.slice(0, mostClusters), count: clusters.length };
  });
}

/** Sentences about a cluster start with its name, which is shown next to them; that it waits is known of a hold. */
export const messageOf = ({ subject: { clusterName }, message }: Sentence): string =>
  clusterName !== undefined && message.startsWith(`${clusterName} `)
    ? message.slice(clusterName.length + 1).replace(/^waits: /, '')
    : message;

interface Sentence {
  readonly subject: { readonly clusterName?: string | undefined };
  readonly message: string;
}

/** `eu-1, eu-2 and 40 more`; nothing where one cluster is named with the subject, or none. */
export const clustersOf = ({ clusters = [], count = 0 }: SharedBy): string =>
  `${clusters.join(', ')}${count > clusters.length ? ` and ${count - clusters.length} more` : ''}`;

interface SharedBy {
  readonly clusters?: readonly string[] | undefined;
  readonly count?: number | undefined;
}

function fewOfEach(holds: readonly GroupedHold[]): GroupedHold[] {
  const seen = new Map<string, number>();
  const few = holds.filter(({ subject: { kind, namespace, name } }) => {
    const key = JSON.stringify([kind, namespace, name]);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return seen.get(key)! <= mostOfOneRollout;
  });
  return few.slice(0, mostHolds);
}
