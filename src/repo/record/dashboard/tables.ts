import { placementKey } from '../../../api/placement.ts';
import type { Plan, PlannedPlacement } from '../../../engine/plan-document.ts';
import { progressOf, stagesDone, toldProgress } from '../../../engine/staged/told-progress.ts';
import { markdownText } from '../../markdown-text.ts';
import { titleOf } from '../../title-of.ts';
import { suspensions } from '../suspensions.ts';
import { isBeingRemoved, tallyOf } from '../tally.ts';
import { moreUnder, mostRows } from './rows.ts';

/** Runs that have not succeeded. */
export function runs(plan: Plan): readonly string[] {
  const open = plan.runs.filter(({ status }) => progressOf(status.conditions)?.reason !== 'UpdateRunSucceeded');
  if (open.length === 0) return [];
  return [
    '| run | snapshot | clusters done | state |',
    '|---|---|---|---|',
    ...open.slice(0, mostRows).map((run) => {
      const { status } = run;
      return `| [${markdownText(titleOf(run))}](runs/${encodeURIComponent(placementKey(run))}.yaml) | ${status.resourceSnapshotIndexUsed ?? ''} | ${markdownText(stagesDone(status))} | ${markdownText(toldProgress(status))} |`;
    }),
  ];
}

/** How far every placement is. */
export function placements(plan: Plan): readonly string[] {
  const suspended = suspensions(plan);
  return [
    '| placement | snapshot | clusters | available | on older snapshots | state |',
    '|---|---|---|---|---|---|',
    ...plan.placements.slice(0, mostRows).map((it) => placementRow(it, suspended.get(placementKey(it)))),
    ...moreUnder('placements', plan.placements.length),
  ];
}

/** What every cluster runs. */
export function clusters(plan: Plan): readonly string[] {
  const { rows, total } = clusterRows(plan);
  return ['| cluster | what runs there (snapshot) |', '|---|---|', ...rows, ...moreUnder('clusters', total)];
}

function placementRow(placement: PlannedPlacement, suspended: string | undefined): string {
  const { available, older, clusters } = tallyOf(placement);
  const last = placement.conditions.findLast(({ type }) => !type.endsWith('StatusSynced'));
  const held = suspended === undefined ? [] : [`suspended${suspended === '' ? '' : ` (${suspended})`}`];
  const state = [...held, ...(last ? [last.reason] : [])].join(', ');
  return `| [${markdownText(titleOf(placement))}](placements/${encodeURIComponent(placementKey(placement))}/status.yaml) | ${placement.resourceSnapshotIndex ?? ''} | ${clusters} | ${available} | ${older} | ${markdownText(state)} |`;
}

/** The first clusters by name, with what they run, and how many there are. */
function clusterRows(plan: Plan): { readonly rows: readonly string[]; readonly total: number } {
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
    ([cluster, what]) => `| ${markdownText(cluster)} | ${markdownText(what.join(', ')) || 'nothing'} |`,
  );
  return { rows, total: names.size };
}
