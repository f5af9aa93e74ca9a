import { type Plan, plannedUpgradeRuns } from '../../engine/plan-document.ts';
import { upgradeTargets } from '../../engine/target-kinds.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { Currencies } from '../../report/money.ts';
import { leavingCount, nodeSections } from '../../report/nodes.ts';
import { droppedObjects, type PlannedAction } from '../../report/placements/planned-actions.ts';
import { refusalItems } from '../../report/sections/approvals.ts';
import { heldItems } from '../../report/sections/holds.ts';
import { folded, sectionMarkdown } from '../../report/sections/markdown.ts';
import { problems } from '../../report/sections/problems.ts';
import { type Item, list, type Section, sizeOf } from '../../report/sections/section.ts';
import { shortageItems } from '../../report/sections/shortages.ts';
import { upgradeRunItems } from '../../report/sections/upgrade-runs.ts';
import { shortagesOf } from '../../report/shortage.ts';

/**
 * A plan as a comment on a pull request: counts first, then removals, then changes, then waits, in folded lists. `supposed`: what a
 * hypothetical plan supposes, one sentence each; `currencies`: of the prices of nodes.
 */
export function planMarkdown(
  plan: Plan,
  actions: readonly PlannedAction[],
  { supposed = [], currencies }: { readonly supposed?: readonly string[]; readonly currencies: Currencies },
): string {
  const of = (word: PlannedAction['action']) => actions.filter(({ action }) => action === word);
  const counts = lists.flatMap(({ action, count, rare }) => {
    const { length } = of(action);
    return count === undefined || (rare && length === 0) ? [] : [`${length} ${count}`];
  });
  const upgrading = upgradeTargets(plan.targets).length;
  const drops = droppedObjects(actions);
  if (drops > 0) counts.push(`${drops} ${drops === 1 ? 'object' : 'objects'} removed by updates`);
  if (upgrading > 0) counts.push(`${upgrading} ${upgrading === 1 ? 'cluster' : 'clusters'} upgrading`);
  counts.push(...leavingCount(plan));
  const lines = [
    '<!-- gitfleet plan -->',
    `### gitfleet plan${supposed.length === 0 ? '' : ' (what if)'}: ${counts.join(', ')}`,
    '',
    ...whatIfLines(supposed),
    `Commit \`${plan.commit.slice(0, 12)}\`, plan \`${plan.digest.slice(0, 19)}\`.`,
    ...[list('Refused by the guard', refusalItems(plan.guard)), problems({ plan })].flatMap(titled),
    ...titled(list('Not enough clusters', shortageItems([...shortagesOf(plan).values()]))),
    ...lists.map(({ action, title }) => list(title, of(action).map(itemOf))).flatMap(folded),
    ...nodeSections(plan, currencies).flatMap(folded),
    ...folded(list('Held', heldItems(plan.holds))),
    ...folded(list('Cluster upgrades', upgradeRunItems(plannedUpgradeRuns(plan)))),
  ];
  return `${lines.join('\n')}\n`;
}

const whatIfLines = (supposed: readonly string[]): string[] =>
  supposed.length === 0
    ? []
    : [
        '**What if** (hypothetical: nothing was changed)',
        ...sectionMarkdown(
          list(
            '',
            supposed.map((line) => ({ line: [line] })),
          ),
        ),
        '',
      ];

/** Removals first: they are what a reader must not miss. `rare` ones are counted only where there are some. */
const lists: readonly { action: PlannedAction['action']; title: string; count?: string; rare?: boolean }[] = [
  { action: 'remove', title: 'Removed', count: 'to remove' },
  { action: 'release', title: 'Released: objects stay and are no longer managed', count: 'to release', rare: true },
  { action: 'update', title: 'Updated', count: 'to update' },
  { action: 'reapply', title: 'Applied again, with another strategy or other labels', count: 'to reapply', rare: true },
  { action: 'add', title: 'Added', count: 'to add' },
  { action: 'wait', title: 'Waiting' },
];

const itemOf = ({ placement, clusterName, resourceSnapshotIndex: index, drops = 0 }: PlannedAction): Item => ({
  line: [
    { code: titleOf(placement) },
    ' on ',
    { code: clusterName },
    ...(index === undefined ? [] : [` at snapshot ${index}`]),
    ...(drops === 0 ? [] : [`, which removes ${drops} ${drops === 1 ? 'object' : 'objects'}`]),
  ],
});

const titled = (section: Section): string[] =>
  sizeOf(section) === 0 ? [] : ['', `**${section.title}**`, ...sectionMarkdown(section)];
