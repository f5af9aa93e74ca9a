import type { Plan } from '../../engine/plan-document.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { colorsFor } from '../terminal/colors.ts';
import { titleOf } from '../terminal/names.ts';
import { table } from '../terminal/table.ts';

/** In a table of more bindings than this, those that stay as they are are only counted. */
const mostRows = 100;

/** A plan for people: what moves, what waits and why, what is wrong. Notes are counted: `gitfleet validate` prints them. */
export function planTable(plan: Plan): string {
  const color = colorsFor(process.stdout);
  const parts: string[] = [];
  const moves = plan.placements.flatMap((placement) =>
    placement.bindings.map((binding) => [
      binding.move,
      titleOf(placement),
      binding.clusterName,
      binding.resourceSnapshotIndex,
      binding.state,
      [...binding.conditions].reverse().find(({ status }) => status !== 'Unknown')?.reason,
    ]),
  );
  const rows = moves.length > mostRows ? moves.filter(([move]) => move !== 'keep') : moves;
  if (moves.length === 0) parts.push('No bindings.');
  if (rows.length > 0) parts.push(table(['MOVE', 'PLACEMENT', 'CLUSTER', 'SNAPSHOT', 'STATE', 'STATUS'], rows));
  if (rows.length < moves.length)
    parts.push(`${moves.length - rows.length} bindings stay as they are and are not listed (-o json has all).`);
  const scheduled = plan.placements
    .filter((placement) => placement.scheduled.status !== 'True')
    .map(
      (placement) =>
        `${color('yellow', titleOf(placement))}: ${placement.scheduled.reason}: ${placement.scheduled.message ?? ''}`,
    );
  section(parts, 'Not fully scheduled', scheduled);
  section(
    parts,
    'Waiting',
    plan.holds.map(({ subject, reason, message, until }) => {
      const where = [titleOf(subject), subject.stage, subject.clusterName].filter(Boolean).join(' · ');
      return `${color('yellow', reason)} ${where}: ${message}${until ? ` (until ${until})` : ''}`;
    }),
  );
  section(
    parts,
    color('red', 'Refused by the guard'),
    plan.guard.map(
      ({ rule, message, removalDigest }) =>
        `${rule}: ${message}${removalDigest ? `\n    to approve: RemovalApproval with removalDigest ${removalDigest}` : ''}`,
    ),
  );
  const problems = plan.problems.filter(({ severity }) => severity !== 'info');
  section(parts, 'Problems', problems.map(formatProblem));
  const notes = plan.problems.length - problems.length;
  if (notes > 0) parts.push(`${notes} ${notes === 1 ? 'note' : 'notes'} on the repo: gitfleet validate prints them.`);
  const counts = new Map<string, number>();
  for (const [move] of moves) counts.set(String(move), (counts.get(String(move)) ?? 0) + 1);
  const of = (move: string) => counts.get(move) ?? 0;
  parts.push(
    `Plan: ${of('add')} to add, ${of('update')} to update, ${of('remove')} to remove, ${of('wait')} waiting, ${of('keep')} unchanged. ` +
      `Commit ${plan.commit.slice(0, 12)}${plan.wakeAt ? `, next change by time alone at ${plan.wakeAt}` : ''}.`,
  );
  return parts.join('\n\n');
}

function section(parts: string[], title: string, lines: readonly string[]): void {
  if (lines.length > 0)
    parts.push([`${title}:`, ...lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`)].join('\n'));
}
