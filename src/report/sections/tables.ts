import { memberAgentOf } from '../../api/member-cluster.ts';
import { placementKey } from '../../api/placement.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import type { PlannedBinding, PlannedPlacement } from '../../engine/plan-document.ts';
import { regionOf } from '../../engine/upgrade/member-region.ts';
import { type RecordedObject, recordedObjects } from '../../repo/record/recorded-objects.ts';
import { titleOf } from '../../repo/title-of.ts';
import { snapshotText } from '../applied-snapshot.ts';
import { type ClusterState, isHeld, needsAttention } from '../cluster-states.ts';
import type { InEffect } from '../in-effect.ts';
import { hasFailed, stateOf } from '../placement-state-text.ts';
import type { Shortage } from '../shortage.ts';
import { suspendedText, suspensions } from '../suspensions.ts';
import { boundClusters, isRequired, tallyOf } from '../tally.ts';
import { progressOf, runProgress, stagesDone } from '../waits/progress-text.ts';
import { failedRuns, supersededRuns } from './halted.ts';
import { type Line, mostRows, type Section, type SectionInput, type SectionSource, type Span } from './section.ts';

const table = (
  title: string,
  headings: readonly string[],
  cells: readonly (readonly Line[])[],
  more: Pick<Section, 'attention' | 'folder' | 'total'> = {},
): Section => ({ title, rows: { kind: 'table', headings, cells }, ...more });

/** Runs that have not succeeded, nor another one of their placement since. */
export const runs: SectionSource = ({ inEffect, notRolledOut }) => {
  const recorded = recordedObjects('runs', inEffect);
  const all = [...recorded.values()].map(({ value }) => value);
  const superseded = supersededRuns(all);
  const open = inEffect.runs.filter(
    (run) => progressOf(run.status.conditions)?.reason !== 'UpdateRunSucceeded' && !superseded.has(placementKey(run)),
  );
  const cells = open.slice(0, mostRows).map((run): Line[] => {
    const { status } = run;
    return [
      [linked(run, recorded)],
      [status.resourceSnapshotIndexUsed ?? ''],
      [stagesDone(status)],
      [runProgress(run, inEffect.holds)],
    ];
  });
  return table('Staged runs', ['run', 'snapshot', 'clusters done', 'state'], cells, {
    attention: failedRuns(
      all,
      notRolledOut.map(({ placement }) => placement),
    ).length,
    folder: 'runs',
    total: open.length,
  });
};

/** How far every placement is. */
export const placements: SectionSource = ({ inEffect, notRolledOut }) => {
  const suspended = suspensions(inEffect);
  const missing = new Set(notRolledOut.map(({ placement }) => placementKey(placement)));
  const recorded = recordedObjects('statuses', inEffect);
  const cells = inEffect.placements.slice(0, mostRows).map((it) => {
    const key = placementKey(it);
    const how = { suspended: suspended.get(key), shortage: inEffect.shortages.get(key), needsRun: missing.has(key) };
    return placementRow(it, recorded.get(key)?.path, how);
  });
  const headings = ['', 'placement', 'clusters', 'snapshot', 'state'];
  return table('Placements', headings, cells, { folder: 'placements', total: inEffect.placements.length });
};

/** What every cluster runs and how it is, those first that need attention. */
export const clusters: SectionSource = ({ inEffect, unreachable, clusters: states }) => {
  const shown = states.slice(0, mostRows);
  const runs = runningOn(inEffect, { names: shown.map(({ name }) => name), unreachable });
  const recorded = recordedObjects('clusters', inEffect);
  const cells = shown.map((state): Line[] => {
    const { name, member } = state;
    const path = recorded.get(name)?.path;
    const region =
      member && (regionOf(labelsOf(member), member.status?.versions) ?? member.metadata.labels?.['region']);
    return [
      [clusterMark(state)],
      [path === undefined ? name : { link: name, path }],
      [healthText(state)],
      [region ?? ''],
      [`${member?.status?.properties?.['k8s.io/k8s-version']?.value ?? member?.status?.versions?.controlPlane ?? ''}`],
      [[...runs.get(name)!].join(', ') || 'nothing'],
    ];
  });
  const headings = ['', 'cluster', 'health', 'region', 'Kubernetes', 'runs (snapshot)'];
  return table('Clusters', headings, cells, { folder: 'clusters', total: states.length });
};

const clusterMark = (state: ClusterState): string => {
  if (!state.responds) return '❌';
  if (needsAttention(state)) return '⚠️';
  return state.isAsDesired ? '✅' : '🔄';
};

function healthText({ member, responds, isHealthy, isCordoned, upgrade }: ClusterState): string {
  const known = member && memberAgentOf(member.status) ? 'healthy' : 'not observed';
  return [
    responds ? (isHealthy ? known : 'not healthy') : 'not responding',
    ...(isCordoned ? ['cordoned'] : []),
    ...(upgrade === undefined ? [] : [`upgrade ${upgrade}`]),
  ].join(', ');
}

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
  path: string | undefined,
  {
    suspended,
    shortage,
    needsRun,
  }: {
    readonly suspended: string | undefined;
    readonly shortage: Shortage | undefined;
    readonly needsRun: boolean;
  },
): Line[] {
  const { available, clusters } = tallyOf(placement);
  const title = titleOf(placement);
  const wanted = shortage?.wanted ?? clusters;
  const count: Line = available < wanted ? [{ bold: `${available}` }, ` / ${wanted}`] : [`${available} / ${wanted}`];
  const state = [
    ...(suspended === undefined ? [] : [suspendedText(suspended)]),
    ...(shortage === undefined ? [] : [`not enough clusters: ${shortage.found} of ${shortage.wanted} found`]),
    ...stateOf(placement),
    ...(needsRun ? ['needs a staged update run'] : []),
  ];
  const mark =
    shortage || needsRun || hasFailed(placement) ? '⚠️' : suspended !== undefined ? '⏸️' : state.length > 0 ? '🔄' : '✅';
  return [
    [mark],
    [path === undefined ? title : { link: title, path }],
    count,
    snapshots(placement, { path, needsRun }),
    [state.join(', ') || 'as desired'],
  ];
}

/**
 * `1`; `1 on 2, 0 on 1` while some clusters have an older one, `0 on 3 → 1` while all have and are to get another: an update run may
 * have brought the older one back. Each links to its objects.
 */
function snapshots(
  { bindings, resourceSnapshotIndex: latest }: PlannedPlacement,
  { path, needsRun }: { readonly path: string | undefined; readonly needsRun: boolean },
): Line {
  if (latest === undefined) return [];
  const linked = (index: number): Span =>
    path === undefined
      ? `${index}`
      : { link: `${index}`, path: path.replace(/status\.yaml$/, `snapshots/${index}.yaml`) };
  const counts = Map.groupBy(
    bindings.filter((binding) => isHeld(binding) && isRequired(binding)),
    ({ resourceSnapshotIndex: index }) => index!,
  );
  if (counts.size === 0 || (counts.size === 1 && counts.has(latest))) return [linked(latest)];
  const listed = [...counts]
    .sort(([a], [b]) => b - a)
    .flatMap(([index, of], at): Line => [...(at === 0 ? [] : [', ']), linked(index), ` on ${of.length}`]);
  const isComing = needsRun || bindings.some(({ conditions }) => !conditionIs(conditions, 'RolloutStarted', 'True'));
  return counts.has(latest) || !isComing ? listed : [...listed, ' → ', linked(latest)];
}

/** What each cluster runs, and what of it is not applied yet. */
function runningOn(
  { placements }: InEffect,
  { names, unreachable }: Pick<SectionInput, 'unreachable'> & { readonly names: readonly string[] },
): ReadonlyMap<string, ReadonlySet<string>> {
  const shown = new Map(names.map((name) => [name, new Set<string>()]));
  for (const placement of placements) {
    const texts = runTexts(placement);
    boundClusters(placement).forEach((name, at) => {
      const there = shown.get(name);
      if (!there) return;
      const text = unreachable.has(name) ? runText(placement, placement.bindings[at]!, true) : texts[at];
      if (text !== undefined) there.add(text);
    });
  }
  return shown;
}

/** Of every binding whose cluster responds. As with its clusters, bindings that are as in the plan before are not looked at. */
const runTexts = memoize((placement: PlannedPlacement): readonly (string | undefined)[] => {
  // Most of its clusters run the same, and share one text.
  const known = new Map<string, string>();
  return placement.bindings.map((binding) => {
    const text = runText(placement, binding, false);
    if (text === undefined) return undefined;
    if (!known.has(text)) known.set(text, text);
    return known.get(text);
  });
});

function runText(placement: PlannedPlacement, binding: PlannedBinding, isUnreachable: boolean): string | undefined {
  return isHeld(binding) ? `${titleOf(placement)} (${snapshotText(binding, isUnreachable)})` : undefined;
}
