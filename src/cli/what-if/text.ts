import type { Plan } from '../../engine/plan-document.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { titleOf } from '../../repo/title-of.ts';
import { titled } from '../kinds/page-text.ts';
import { colorsFor } from '../terminal/colors.ts';
import type { ClusterMove, PlacementOutcome, WhatIf } from './compare.ts';

/** Clusters that are listed when a placement does not fit; a fleet has many that never fit. */
const mostUnfit = 10;

/** The comparison as text: per placement what moves, what stays, what no longer fits; then what would be refused. */
export function whatIfText(whatIf: WhatIf, plan: Plan): string {
  const color = colorsFor(process.stdout);
  const parts = [[color('bold', 'What if'), ...whatIf.changes.map((change) => `  ${change}`)].join('\n')];
  for (const outcome of whatIf.placements) parts.push(placementText(outcome));
  if (plan.guard.length > 0)
    parts.push(titled(color('red', 'The guard would refuse'), plan.guard.map(({ message }) => message).join('\n')));
  const errors = plan.problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) parts.push(titled('Problems', errors.map(formatProblem).join('\n')));
  parts.push(`${summary(whatIf.placements)} Nothing was changed.`);
  return parts.join('\n\n');
}

function placementText(outcome: PlacementOutcome): string {
  const color = colorsFor(process.stdout);
  const lines = [color('bold', titleOf(outcome))];
  for (const { clusterName, to, reason } of outcome.moves) lines.push(moveLine[to](clusterName, reason, color));
  for (const { clusterName, unfit } of outcome.stays)
    lines.push(
      unfit === undefined
        ? `  = ${clusterName}  stays`
        : color(
            'yellow',
            `  = ${clusterName}  stays because it was picked before; it would not be picked again: ${unfit}`,
          ),
    );
  if (outcome.noLongerFits) {
    const { message, unfit } = outcome.noLongerFits;
    lines.push(color('red', `  ! no longer fits: ${message}`));
    for (const { clusterName, reason } of unfit.slice(0, mostUnfit)) lines.push(`      ${clusterName}: ${reason}`);
    if (unfit.length > mostUnfit) lines.push(`      and ${unfit.length - mostUnfit} more`);
  }
  if (outcome.fitsNow !== undefined) lines.push(color('green', `  ! fits now: ${outcome.fitsNow}`));
  return lines.join('\n');
}

type Line = (clusterName: string, reason: string, color: ReturnType<typeof colorsFor>) => string;

const moveLine: Readonly<Record<ClusterMove['to'], Line>> = {
  added: (clusterName, reason, color) => color('green', `  + ${clusterName}  ${reason}`),
  removed: (clusterName, reason, color) => color('red', `  - ${clusterName}  ${reason}`),
  released: (clusterName, reason, color) => color('yellow', `  - ${clusterName}  ${reason}`),
  notAdded: (clusterName, reason, color) =>
    color('yellow', `  x ${clusterName}  is not there yet and would not be added: ${reason}`),
};

function summary(outcomes: readonly PlacementOutcome[]): string {
  const count = (of: (outcome: PlacementOutcome) => number) => outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  const added = count(({ moves }) => moves.filter(({ to }) => to === 'added').length);
  const removed = count(({ moves }) => moves.filter(({ to }) => to === 'removed').length);
  const released = count(({ moves }) => moves.filter(({ to }) => to === 'released').length);
  const notAdded = count(({ moves }) => moves.filter(({ to }) => to === 'notAdded').length);
  const stay = count(({ stays }) => stays.length);
  const unfit = count(({ noLongerFits }) => (noLongerFits ? 1 : 0));
  return `${added} to add, ${removed} to remove, ${released === 0 ? '' : `${released} to release, `}${notAdded === 0 ? '' : `${notAdded} no longer added, `}${stay} staying on changed clusters, ${unfit} placement${unfit === 1 ? '' : 's'} no longer fitting.`;
}
