import type { Plan } from '../../engine/plan-document.ts';

/** Longest comment that GitHub takes is 65,536 characters; lists are cut well before. */
const mostRows = 200;

/** A plan as a comment on a pull request: counts first, then removals, then changes, then waits, in folded lists. */
export function planMarkdown(plan: Plan): string {
  const rows = plan.placements.flatMap((placement) =>
    placement.bindings.map((binding) => ({
      move: binding.move,
      text: `\`${placement.namespace ? `${placement.namespace}/` : ''}${placement.name}\` on \`${binding.clusterName}\`${binding.resourceSnapshotIndex === undefined ? '' : ` at snapshot ${binding.resourceSnapshotIndex}`}`,
    })),
  );
  const of = (move: string) => rows.filter((row) => row.move === move).map((row) => row.text);
  const lines = [
    '<!-- gitfleet plan -->',
    `### gitfleet plan: ${of('add').length} to add, ${of('update').length} to update, ${of('remove').length} to remove`,
    '',
    `Commit \`${plan.commit.slice(0, 12)}\`, plan \`${plan.digest.slice(0, 19)}\`.`,
  ];
  if (plan.guard.length > 0)
    lines.push('', '**Refused by the guard**', ...plan.guard.map((finding) => `- ${escapeText(finding.message)}`));
  const errors = plan.problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    lines.push(
      '',
      '**Problems**',
      ...errors
        .slice(0, mostRows)
        .map((problem) => `- \`${problem.file ?? '?'}:${problem.line ?? 0}\` ${escapeText(problem.message)}`),
    );
  for (const [move, title] of [
    ['remove', 'Removed'],
    ['update', 'Updated'],
    ['add', 'Added'],
    ['wait', 'Waiting'],
  ] as const) {
    fold(lines, title, of(move));
  }
  fold(
    lines,
    'Held',
    plan.holds.map((hold) => `${hold.reason}: ${escapeText(hold.message)}`),
  );
  return `${lines.join('\n')}\n`;
}

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

/** Text from files must not mention people, embed HTML or break the list. */
const escapeText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '@\u200b')
    .replace(/\s+/g, ' ')
    .replace(/([\\`*_[\]])/g, '\\$1');
