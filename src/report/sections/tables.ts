import { placementKey } from '../../api/placement.ts';
import type { PlannedPlacement } from '../../engine/plan-document.ts';
import { type RecordedObject, recordedObjects } from '../../repo/record/recorded-objects.ts';
import { titleOf } from '../../repo/title-of.ts';
import { snapshotText } from '../applied-snapshot.ts';
import { isCordoned } from '../clusters.ts';
import type { InEffect } from '../in-effect.ts';
import type { Shortage } from '../shortage.ts';
import { suspendedText, suspensions } from '../suspensions.ts';
import { isBeingRemoved, tallyOf } from '../tally.ts';
import { progressOf, progressText, stagesDone } from '../waits/progress-text.ts';
import { type Line, mostRows, type Section, type SectionInput, type SectionSource, type Span } from './section.ts';

const table = (
  title: string,
  headings: readonly string[],
  cells: readonly (readonly Line[])[],
  more: Pick<Section, 'folder' | 'total'> = {},
): Section => ({ title, rows: { kind: 'table', headings, cells }, ...more });

/** Runs that have not succeeded. */
export const runs: SectionSource = ({ inEffect }) => {
  const open = inEffect.runs.filter(({ status }) => progressOf(status.conditions)?.reason !== 'UpdateRunSucceeded');
  const recorded = recordedObjects('runs', inEffect);
  const cells = open.slice(0, mostRows).map((run): Line[] => {
    const { status } = run;
    return [
      [linked(run, recorded)],
      [status.resourceSnapshotIndexUsed ?? ''],
      [stagesDone(status)],
      [progressText(status)],
    ];
  });
  return table('Staged runs', ['run', 'snapshot', 'clusters done', 'state'], cells, {
    folder: 'runs',
    total: open.length,
  });
};

/** How far every placement is. */
export const placements: SectionSource = ({ inEffect }) => {
  const suspended = suspensions(inEffect);
  const recorded = recordedObjects('statuses', inEffect);
  const cells = inEffect.placements.slice(0, mostRows).map((it) => {
    const key = placementKey(it);
    const how = { suspended: suspended.get(key), shortage: inEffect.shortages.get(key) };
    return placementRow(it, linked(it, recorded), how);
  });
  const headings = ['placement', 'snapshot', 'clusters', 'available', 'on older snapshots', 'state'];
  return table('Placements', headings, cells, { folder: 'placements', total: inEffect.placements.length });
};

/** What every cluster runs, and which take nothing new. */
export const clusters: SectionSource = ({ inEffect, unreachable }) => {
  const cordoned = new Set(
    [...recordedObjects('clusters', inEffect)].flatMap(([name, { value }]) => (isCordoned(value) ? [name] : [])),
  );
  const { cells, total } = clusterRows(inEffect, { cordoned, unreachable });
  return table('Clusters', ['cluster', 'what runs there (snapshot)'], cells, { folder: 'clusters', total });
};

/** The title, with a link to its file where there is one; a large fleet has folders of two digits in between. */
function linked(
  of: { readonly name: string; readonly namespace?: string },
  recorded: ReadonlyMap<string, RecordedObject<object>>,
): Span {
  const title = titleOf(of);
  const path = recorded.get(placementKey(of))?.path;
  return path === undefined ? title : { link: title, path };
}

function placementRow(
  placement: PlannedPlacement,
  title: Span,
  { suspended, shortage }: { readonly suspended: string | undefined; readonly shortage: Shortage | undefined },
): Line[] {
  const { available, older, clusters } = tallyOf(placement);
  const last = placement.conditions.findLast(({ type }) => !type.endsWith('StatusSynced'));
  const held = [
    ...(suspended === undefined ? [] : [suspendedText(suspended)]),
    ...(shortage === undefined ? [] : ['not enough clusters']),
  ];
  const on: Line = shortage ? [{ bold: `${shortage.found}` }, ` of ${shortage.wanted}`] : [`${clusters}`];
  const state = [...held, ...(last ? [last.reason] : [])].join(', ');
  const index = placement.resourceSnapshotIndex;
  return [[title], [index === undefined ? '' : `${index}`], on, [`${available}`], [`${older}`], [state]];
}

/** The first clusters by name, with what they run, and how many there are. */
function clusterRows(
  plan: InEffect,
  { cordoned, unreachable }: Pick<SectionInput, 'unreachable'> & { readonly cordoned: ReadonlySet<string> },
): { readonly cells: readonly Line[][]; readonly total: number } {
  const held = (binding: PlannedPlacement['bindings'][number]): boolean =>
    binding.state !== 'Scheduled' && binding.resourceSnapshotIndex !== undefined && !isBeingRemoved(binding);
  // The longest list of decisions also names clusters that run nothing.
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
      const there = held(binding) ? shown.get(binding.clusterName) : undefined;
      if (!there) continue;
      const what = `${titleOf(placement)} (${snapshotText(binding, unreachable.has(binding.clusterName))})`;
      if (!there.includes(what)) there.push(what);
    }
  const cells = [...shown].map(([cluster, what]): Line[] => [
    [cluster],
    [`${what.join(', ') || 'nothing'}${cordoned.has(cluster) ? '; cordoned' : ''}`],
  ]);
  return { cells, total: names.size };
}
