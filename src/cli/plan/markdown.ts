import type { Plan } from '../../engine/plan-document.ts';
import { markdownProblem } from '../../repo/markdown-problem.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { titleOf } from '../../repo/title-of.ts';
import { holdSubject } from '../../report/hold-subject.ts';
import type { PlannedAction } from './actions.ts';

/** Longest comment that GitHub takes is 65,536 characters; lists are cut well before. */
const mostRows = 200;

/** A plan as a comment on a pull request: counts first, then removals, then changes, then waits, in folded lists. */
export function planMarkdown(plan: Plan, actions: readonly PlannedAction[]): string {
  const of = (word: PlannedAction['action']) => actions.filter(({ action }) => action === word).map(textOf);
  const counts = lists.flatMap(({ action, count, rare }) => {
    const { length } = of(action);
    return count === undefined || (rare && length === 0) ? [] : [`${length} ${count}`];
  });
  const lines = [
    '<!-- gitfleet plan -->',
    `### gitfleet plan: ${counts.join(', ')}`,
    '',
    `Commit \`${plan.commit.slice(0, 12)}\`, plan \`${plan.digest.slice(0, 19)}\`.`,
  ];
  if (plan.guard.length > 0)
    lines.push('', '**Refused by the guard**', ...plan.guard.map((finding) => `- ${refusal(finding)}`));
  const problems = plan.problems.filter(({ severity }) => severity !== 'info');
  if (problems.length > 0)
    lines.push('', '**Problems**', ...problems.slice(0, mostRows).map((problem) => `- ${markdownProblem(problem)}`));
  for (const { action, title } of lists) fold(lines, title, of(action));
  fold(
    lines,
    'Held',
    plan.holds.map(
      ({ subject, reason, message }) => `${markdownText(holdSubject(subject))}, ${reason}: ${markdownText(message)}`,
    ),
  );
  return `${lines.join('\n')}\n`;
}

/** What is refused, and how a person lets it pass. */
const refusal = ({ message, removalDigest }: Plan['guard'][number]): string =>
  `${markdownText(message)}${removalDigest ? `. To approve: a RemovalApproval with \`removalDigest: ${removalDigest}\`` : ''}`;

/** Removals first: they are what a reader must not miss. `rare` ones are counted only where there are some. */
const lists: readonly { action: PlannedAction['action']; title: string; count?: string; rare?: boolean }[] = [
  { action: 'remove', title: 'Removed', count: 'to remove' },
  { action: 'release', title: 'Released: objects stay and are no longer managed', count: 'to release', rare: true },
  { action: 'update', title: 'Updated', count: 'to update' },
  { action: 'reapply', title: 'Applied again, with another strategy or other labels', count: 'to reapply', rare: true },
  { action: 'add', title: 'Added', count: 'to add' },
  { action: 'wait', title: 'Waiting' },
];

const textOf = ({ placement, clusterName, resourceSnapshotIndex }: PlannedAction): string =>
  `\`${titleOf(placement)}\` on \`${clusterName}\`${resourceSnapshotIndex === undefined ? '' : ` at snapshot ${resourceSnapshotIndex}`}`;

function fold(lines: string[], title: string, items: readonly string[]): void {
  if (items.length === 0) return;
  lines.push(
    '',
    `<details><summary>${title} (${items.length})</summary>`,
    '',
    ...items.slice(0, mostRows).map((item) => `- ${item}`),
  );
  if (items.length > mostRows) lines.push(`- … and ${items.length - mostRows} more`);
  lines.push('', '</details>');
}
