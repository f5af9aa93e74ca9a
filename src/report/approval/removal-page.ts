import { placementKey } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { firstOf, listUpTo } from '../../engine/kernel/short-list.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { isActive } from '../../engine/staged/execution-order.ts';
import { placementOfRun } from '../../engine/update-run.ts';
import type { RemovalCounts, RemovalToApprove, RemovedObjects } from '../../repo/record/removals-to-approve.ts';
import { titleOf } from '../../repo/title-of.ts';
import { cutAfterWord } from '../cut-after-word.ts';
import type { AnsweredRequest } from '../in-effect.ts';
import { list } from '../sections/section.ts';
import { type ApprovalPage, listed, mostListed, noChanges, notNow, warnings } from './approval-page.ts';

const mostNamed = 10;
const ofAll = 'all objects, which are not recorded';

/** The page of removals that the guard refused, or that are held. */
export const removalPage = (
  removal: RemovalToApprove,
  of: RemovalFacts & { readonly problems: Plan['problems'] },
): ApprovalPage => ({
  title: cutAfterWord(`Approve removals: ${removalCounts(removal) ?? removal.messages[0] ?? removal.name}`, 200),
  lead: [
    'Merging allows exactly these removals, once. A later commit that removes other objects is asked again.',
    ...restTexts(removal, of),
    ...(isOfOthers(removal) ? ['It also removes what is in them and not of the placement.'] : []),
  ],
  instructions: `${notNow} To reject, ${toRejectRemoval(removal, of)}.`,
  sections: [
    warnings({ name: removal.name, ...of }),
    list(
      'Removals',
      removalLines(removal, mostListed).map((line) => ({ line: [line] })),
    ),
    list(
      'Why they need approval',
      listed(
        reasonLines(removal).map((line) => ({ line: [line] })),
        mostListed,
      ),
    ),
  ],
  ...noChanges,
});

/**
 * `22 objects from 11 clusters, 3 objects released on 1 cluster`, or `1 Namespace with everything in it, also of others, from 1 cluster`;
 * undefined where they are not counted.
 */
export function removalCounts(removal: RemovalToApprove): string | undefined {
  const { removed, released } = removal;
  const texts = [
    ...(removed ? [isOfOthers(removal) ? containersText(removal, removed) : counted(removed, 'from')] : []),
    ...(released ? [counted(released, 'released on')] : []),
  ];
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** One line for each placement and the clusters that lose the same objects of it, removals first; then what of others goes with them. */
export function removalLines(
  { changes = [], changesLeft = 0, contents = [] }: RemovalToApprove,
  most = Infinity,
): string[] {
  const lines = [...changes.map(changeLine), ...contents.map((sentence) => `with everything in it: ${sentence}`)];
  const left = Math.max(lines.length - most, 0) + changesLeft;
  return [...lines.slice(0, most), ...(left === 0 ? [] : [`… and ${left} more`])];
}

/** The rule that refuses, or why it is held, and the limit. */
export const reasonLines = ({ messages, rules = [] }: RemovalToApprove): string[] =>
  messages.map((message, at) => (rules[at] === undefined ? message : `${rules[at]}: ${message}`));

const isOfOthers = ({ contents = [] }: RemovalToApprove): boolean => contents.length > 0;

function containersText({ changes = [] }: RemovalToApprove, { objects, clusters }: RemovalCounts): string {
  const kinds = new Set(
    changes.flatMap((change) => change.objects.map((object) => object.replace(/^\S*\/| .*$/g, ''))),
  );
  const what = amount(objects, kinds.size === 1 ? [...kinds][0]! : 'object');
  return `${what} with everything in ${objects === 1 ? 'it' : 'them'}, also of others, from ${amount(clusters, 'cluster')}`;
}

/** What is known beside a removal. */
export interface RemovalFacts {
  /** As recorded. */
  readonly runs?: Iterable<StagedUpdateRun>;
  /** Requests that are answered while the plan is refused. */
  readonly answered?: readonly AnsweredRequest[];
}

/** What waits for the approval beside the removals; nothing where only they are held. */
export const restTexts = ({ commit }: RemovalToApprove, { answered = [] }: Pick<RemovalFacts, 'answered'>): string[] =>
  commit === undefined
    ? []
    : [
        `The plan of commit ${commit.slice(0, 12)} is refused as a whole: before that nothing continues, and no answer to another request counts. All else that it does happens with the approval: \`gitfleet plan\` shows it.`,
        ...(answered.length === 0
          ? []
          : [
              `These answers count then: ${listUpTo(
                answered.map(({ approval, answer }) => `${approval} (${answer})`),
                mostNamed,
              )}.`,
            ]),
      ];

/** A manifest that comes back does not help where an update run removes: it brings the snapshot of its start. */
export function toRejectRemoval(
  { changes = [], commit }: RemovalToApprove,
  { runs = [] }: Pick<RemovalFacts, 'runs'>,
): string {
  const losing = new Set(changes.map(({ placement }) => placement));
  const names = [...runs].flatMap((run) =>
    losing.has(placementKey(placementOfRun(run))) && isActive(run.status) ? titleOf(run.metadata) : [],
  );
  const revert = 'revert the commit that removes them';
  return commit === undefined || names.length === 0
    ? revert
    : `${revert}; or, where update run ${listUpTo(names, mostNamed)} removes them, suspend it (\`gitfleet suspend run NAME\`) or revert the answer that started it`;
}

function changeLine({ action, placement, objects, clusters, count, isAbsent }: RemovedObjects): string {
  const where = `${amount(count.clusters, 'cluster')} (${named(clusters, count.clusters)})`;
  const names = objects.map((object) => (object === '' ? ofAll : object.replace(/^\S*\//, '')));
  const what = objects.includes('') ? 'objects' : amount(count.objects, 'object');
  const stay = what === '1 object' ? 'stays and is' : 'stay and are';
  const happens = {
    remove: `${what} removed from ${where}`,
    release: `${what} ${stay} no longer managed, on ${where}`,
  }[action];
  const covered = `not removed now, and covered as long as the rollout lasts: ${what} on ${where}`;
  return `${placement}: ${isAbsent ? covered : happens}: ${named(names, count.objects)}`;
}

const named = (first: readonly string[], count: number): string => firstOf(first.slice(0, mostNamed), count);

const counted = ({ objects, clusters }: RemovalCounts, at: string): string =>
  `${amount(objects, 'object')} ${at} ${amount(clusters, 'cluster')}`;

const amount = (count: number, of: string): string => `${count} ${of}${count === 1 ? '' : 's'}`;
