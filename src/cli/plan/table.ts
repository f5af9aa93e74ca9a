import { placementKey } from '../../api/placement.ts';
import { type Plan, plannedUpgradeRuns } from '../../engine/plan-document.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../../report/cause.ts';
import type { Currencies } from '../../report/money.ts';
import { leavingCount, nodeSections } from '../../report/nodes.ts';
import { droppedObjects, type PlannedAction } from '../../report/placements/planned-actions.ts';
import { runToAdd } from '../../report/run-to-add.ts';
import { refusalItems } from '../../report/sections/approvals.ts';
import { heldItems } from '../../report/sections/holds.ts';
import { notRolledOutItems } from '../../report/sections/not-rolled-out.ts';
import { type Item, plainText } from '../../report/sections/section.ts';
import { upgradeRunItems } from '../../report/sections/upgrade-runs.ts';
import { shortagesOf, shortageText } from '../../report/shortage.ts';
import type { OpenedRepo } from '../fleet-repo/open-repo.ts';
import { titled } from '../kinds/page-text.ts';
import { colorsFor } from '../terminal/colors.ts';
import { table } from '../terminal/table.ts';

/** A plan as text: what moves, what is held and why, what is wrong. Notes are counted: `gitfleet validate` prints them. */
export function planTable(
  plan: Plan,
  {
    actions,
    all,
    from,
    notRolledOut,
    withoutStatus,
    withRecordedStatus,
    currencies,
    hasMembers,
    isObserved,
  }: {
    readonly actions: readonly PlannedAction[];
    /** Also bindings that stay as they are, which are only counted otherwise. */
    readonly all: boolean;
    readonly from: OpenedRepo['from'];
    readonly notRolledOut: readonly NotRolledOut[];
    readonly hasMembers: boolean;
    readonly isObserved: boolean;
    /** Of the prices of nodes. */
    readonly currencies: Currencies;
    /** Clusters that were not observed, now or ever. */
    readonly withoutStatus: number;
    /** Clusters whose status is that of the status branch. */
    readonly withRecordedStatus: number;
  },
): string {
  const color = colorsFor(process.stdout);
  const parts: string[] = [];
  const shown = all ? actions : actions.filter(({ action }) => action !== 'keep');
  if (actions.length === 0)
    parts.push(
      !hasMembers
        ? 'No bindings: the fleet has no MemberCluster. gitfleet join CONTEXT adds one.'
        : plan.placements.length === 0
          ? 'No bindings: the fleet has no placement, so nothing is deployed.'
          : 'No bindings.',
    );
  if (shown.length > 0)
    parts.push(table(['MOVE', 'PLACEMENT', 'CLUSTER', 'SNAPSHOT', 'STATE', 'STATUS'], shown.map(row)));
  const shortages = shortagesOf(plan);
  const unscheduled = plan.placements.filter((it) => it.scheduled.status !== 'True');
  section(
    parts,
    'Not fully scheduled (gitfleet explain placement NAME explains why)',
    unscheduled.map((placement) => {
      const shortage = shortages.get(placementKey(placement));
      return `${color('yellow', titleOf(placement))}: ${shortage ? shortageText(shortage) : causeOf(placement.scheduled)}`;
    }),
  );
  if (unscheduled.length > 0 && withoutStatus > 0)
    parts.push(
      `Note: ${withoutStatus} of the clusters ${withoutStatus === 1 ? 'was' : 'were'} never observed, so CPU, memory, cost and version count as absent there.\n` +
        '  gitfleet run observes them; gitfleet observe writes what they have now, for plan --observed.',
    );
  if (unscheduled.length > 0 && withRecordedStatus > 0)
    parts.push(
      `Note: CPU, memory, cost and version of ${withRecordedStatus} ${withRecordedStatus === 1 ? 'cluster are' : 'clusters are'} those that the status branch recorded last.\n` +
        '  gitfleet observe writes those of now, for plan --observed.',
    );
  section(parts, 'Held', heldItems(plan.holds).map(textOf));
  if (!isObserved && plan.holds.some(({ reason }) => reason === 'NodesNotObserved'))
    parts.push(
      'Note: plan knows nodes with --members or --observed only. gitfleet get nodes shows those of the status branch.',
    );
  for (const { title, rows } of nodeSections(plan, currencies))
    if (rows.kind === 'list') section(parts, title, rows.items.map(textOf));
  section(parts, 'Cluster upgrades', upgradeRunItems(plannedUpgradeRuns(plan)).map(textOf));
  const toAdd = runToAdd(notRolledOut);
  section(parts, 'Not rolled out: needs a staged update run', notRolledOutItems(notRolledOut).map(textOf));
  if (toAdd !== undefined) parts.push(`Note: ${toAdd}.`);
  section(parts, color('red', 'Refused by the guard'), refusalItems(plan.guard).map(textOf));
  const problems = plan.problems.filter(({ severity }) => severity !== 'info');
  section(parts, 'Problems', problems.map(formatProblem));
  const notes = plan.problems.length - problems.length;
  if (notes > 0) parts.push(`${notes} ${notes === 1 ? 'note' : 'notes'} on the repo: gitfleet validate prints them.`);
  const of = (word: PlannedAction['action']) => actions.filter(({ action }) => action === word).length;
  const drops = droppedObjects(actions);
  const rare = [
    ...(of('reapply') > 0 ? [`${of('reapply')} to reapply`] : []),
    ...(of('release') > 0 ? [`${of('release')} to release`] : []),
    ...leavingCount(plan),
  ];
  parts.push(
    `Plan: ${[`${of('add')} to add, ${of('update')} to update, ${of('remove')} to remove`, ...rare].join(', ')}, ` +
      `${of('wait')} waiting, ${of('keep')} unchanged${shown.length < actions.length ? ' (--all lists them)' : ''}. ` +
      `${from === 'commit' ? `Commit ${plan.commit.slice(0, 12)}` : `Commit none: these are the files of a ${from}`}${plan.wakeAt ? `, next scheduled change at ${plan.wakeAt}` : ''}.` +
      `${drops > 0 ? ` Updates remove ${drops} ${drops === 1 ? 'object' : 'objects'}.` : ''}`,
  );
  return parts.join('\n\n');
}

const textOf = ({ line }: Item): string => plainText(line, (text) => colorsFor(process.stdout)('yellow', text));

const row = ({ action, placement, clusterName, resourceSnapshotIndex, state, conditions }: PlannedAction) => [
  action,
  titleOf(placement),
  clusterName,
  resourceSnapshotIndex,
  state,
  conditions?.toReversed().find(({ status }) => status !== 'Unknown')?.reason,
];

function section(parts: string[], title: string, lines: readonly string[]): void {
  if (lines.length > 0) parts.push(titled(title, lines.join('\n')));
}
