import { placementKey } from '../../api/placement.ts';
import { isCordon } from '../../engine/evict/cordon-taint.ts';
import type { PlannedPlacement } from '../../engine/plan-document.ts';
import { progressOf, progressText, stagesDone } from '../../engine/staged/progress-text.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { type RecordedObject, recordedObjects } from '../../repo/record/recorded-objects.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { InForce } from '../in-force.ts';
import { suspensions } from '../suspensions.ts';
import { isBeingRemoved, tallyOf } from '../tally.ts';
import { moreUnder, mostRows } from './rows.ts';

/** Runs that have not succeeded. */
export function runs(plan: InForce): readonly string[] {
  const open = plan.runs.filter(({ status }) => progressOf(status.conditions)?.reason !== 'UpdateRunSucceeded');
  if (open.length === 0) return [];
  const recorded = recordedObjects('runs', plan);
  return [
    '| run | snapshot | clusters done | state |',
    '|---|---|---|---|',
    ...open.slice(0, mostRows).map((run) => {
      const { status } = run;
      return `| ${linked(run, recorded)} | ${status.resourceSnapshotIndexUsed ?? ''} | ${markdownText(stagesDone(status))} | ${markdownText(progressText(status))} |`;
    }),
  ];
}

/** How far every placement is. */
export function placements(plan: InForce): readonly string[] {
  const suspended = suspensions(plan);
  const recorded = recordedObjects('statuses', plan);
  return [
    '| placement | snapshot | clusters | available | on older snapshots | state |',
    '|---|---|---|---|---|---|',
    ...plan.placements
      .slice(0, mostRows)
      .map((it) => placementRow(it, linked(it, recorded), suspended.get(placementKey(it)))),
    ...moreUnder('placements', plan.placements.length),
  ];
}

/** What every cluster runs, and which take nothing new. */
export function clusters(plan: InForce): readonly string[] {
  const cordoned = new Set(
    [...recordedObjects('clusters', plan)].flatMap(([name, { value }]) =>
      value.spec.taints?.some(isCordon) ? [name] : [],
    ),
  );
  const { rows, total } = clusterRows(plan, cordoned);
  return ['| cluster | what runs there (snapshot) |', '|---|---|', ...rows, ...moreUnder('clusters', total)];
}

/** The title, which leads to the file where there is one: in a large fleet a folder of two digits comes between. */
function linked(
  of: { readonly name: string; readonly namespace?: string },
  recorded: ReadonlyMap<string, RecordedObject<object>>,
): string {
  const title = markdownText(titleOf(of));
  const path = recorded.get(placementKey(of))?.path;
  return path === undefined ? title : `[${title}](${path.split('/').map(encodeURIComponent).join('/')})`;
}

function placementRow(placement: PlannedPlacement, title: string, suspended: string | undefined): string {
  const { available, older, clusters } = tallyOf(placement);
  const last = placement.conditions.findLast(({ type }) => !type.endsWith('StatusSynced'));
  const held = suspended === undefined ? [] : [`suspended${suspended === '' ? '' : ` (${suspended})`}`];
  const state = [...held, ...(last ? [last.reason] : [])].join(', ');
  return `| ${title} | ${placement.resourceSnapshotIndex ?? ''} | ${clusters} | ${available} | ${older} | ${markdownText(state)} |`;
}

/** The first clusters by name, with what they run, and how many there are. */
function clusterRows(
  plan: InForce,
  cordoned: ReadonlySet<string>,
): { readonly rows: readonly string[]; readonly total: number } {
  const held = (binding: PlannedPlacement['bindings'][number]): boolean =>
    binding.state !== 'Scheduled' && binding.resourceSnapshotIndex !== undefined && !isBeingRemoved(binding);
  // A placement decides on every cluster that it looks at: one of them names those that run nothing too.
  const looked = plan.placements.reduce<PlannedPlacement['decisions']>(
    (most, { decisions }) => (decisions.length > most.length ? decisions : most),
    [],
  );
  const names = new Set<string>(looked.map(({ clusterName }) => clusterName));
  for (const { bindings } of plan.placements)
    for (const binding of bindings) if (held(binding)) names.add(binding.clusterName);
  const shown = new Map(
    [...names]
      .sort()
      .slice(0, mostRows)
      .map((name): [string, string[]] => [name, []]),
  );
  for (const placement of plan.placements)
    for (const binding of placement.bindings) {
      const what = `${titleOf(placement)} (${binding.resourceSnapshotIndex})`;
      const there = held(binding) ? shown.get(binding.clusterName) : undefined;
      if (there && !there.includes(what)) there.push(what);
    }
  const rows = [...shown].map(
    ([cluster, what]) =>
      `| ${markdownText(cluster)} | ${markdownText(what.join(', ')) || 'nothing'}${cordoned.has(cluster) ? '; cordoned' : ''} |`,
  );
  return { rows, total: names.size };
}
