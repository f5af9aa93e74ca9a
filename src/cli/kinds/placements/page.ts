import { abandons } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { findCondition, isFulfilled } from '../../../engine/kernel/condition.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import { apiVersionOf } from '../../../engine/selection/group-version.ts';
import { isRunOf } from '../../../engine/update-run.ts';
import { snapshotText } from '../../../report/applied-snapshot.ts';
import { needsRunText } from '../../../report/waits/no-run.ts';
import { waitsOfPlacement } from '../../../report/waits/waits.ts';
import type { KnownPlacement } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';
import { refusedText, withAnswers } from '../../status/refused-text.ts';
import { table } from '../../terminal/table.ts';
import { isAsDesired, objectIssues, overridesOf } from '../bindings/object-issues.ts';
import { statusOf } from '../listing.ts';
import { ageSince, conditionTable, fields, indent, sentences, tableOrNone, titled } from '../page-text.ts';
import { decisionTable } from './decision-table.ts';
import { isReturned } from './reason.ts';

/** A placement with all its decisions, scores and clusters, one part each. */
export function placementPage(placement: KnownPlacement, status: Status): string[] {
  const { object, state } = placement;
  const pending = waitsOfPlacement(placement, withAnswers(status));
  const refused = pending.length === 0 ? undefined : refusedText(status);
  const waits = refused === undefined ? pending : [refused, ...pending];
  return [
    head(placement),
    ...(waits.length === 0 ? [] : [titled('Waits for', sentences(waits))]),
    titled('Conditions', conditionTable(object?.status?.conditions, status.now)),
    titled('Decisions', decisionTable(latestOf(state.policySnapshots)?.targetClusters)),
    ...healthyClusters(placement, status),
    ...state.bindings
      .filter((binding) => !isHealthy(binding, placement, status))
      .map((binding) => bindingText(binding, status)),
    ...runLines(placement, status.record),
    titled(
      'Selected resources',
      tableOrNone(
        ['KIND', 'NAMESPACE', 'NAME', 'VERSION'],
        (object?.status?.selectedResources ?? []).map(({ group, version, kind, namespace, name }) => [
          kind,
          namespace,
          name,
          apiVersionOf(group ?? '', version),
        ]),
      ),
    ),
  ];
}

function head({ kind, name, namespace, object, state }: KnownPlacement): string {
  const { metadata, spec } = object ?? {};
  const snapshot = latestOf(state.resourceSnapshots);
  const suspended = metadata?.annotations?.[suspendedAnnotation];
  return fields([
    ['Name', name],
    namespace === undefined ? undefined : ['Namespace', namespace],
    ['Kind', kind],
    ['Generation', metadata?.generation],
    [
      'Policy',
      spec && [spec.policy.placementType, spec.policy.numberOfClusters].filter((part) => part !== undefined).join(' '),
    ],
    ['Strategy', spec?.strategy.type],
    object && abandons(object) ? ['Deletion', 'keeps its objects on the clusters (Abandon)'] : undefined,
    suspended === undefined ? undefined : ['Suspended', suspended || 'yes'],
    ['Snapshot', snapshot && `${snapshot.index}${snapshot.commit ? ` of commit ${snapshot.commit.slice(0, 12)}` : ''}`],
  ]);
}

/** It has the snapshot that it is to have, available or compared, and nothing is wrong with it now. */
function isHealthy(binding: Binding, placement: KnownPlacement, status: Status): boolean {
  const { state, deleting, conditions = [], resourceSnapshotIndex: index, targetCluster } = binding;
  const isDone = conditions.length > 0 && conditions.every(({ status }) => status === 'True');
  const isCurrent = index === latestOf(placement.state.resourceSnapshots)?.index || isReturned(placement, status);
  const isKnown = state === 'Bound' && !deleting && !status.unreachable.has(targetCluster);
  return isDone && isCurrent && isKnown && isFulfilled(conditions) && isAsDesired(binding);
}

/** Clusters with which nothing is wrong, in one table, and what was repaired on them; `describe binding` shows one of them whole. */
function healthyClusters(placement: KnownPlacement, status: Status): string[] {
  const { state } = placement;
  const healthy = state.bindings.filter((binding) => isHealthy(binding, placement, status));
  if (healthy.length === 0) return [];
  const shown = healthy.slice(0, mostHealthy).map((binding) => {
    const done = findCondition(binding.conditions, 'Available') ?? findCondition(binding.conditions, 'DiffReported');
    return [
      binding.targetCluster,
      binding.resourceSnapshotIndex,
      done?.type === 'Available' ? 'available' : 'compared',
      ageSince(done?.lastTransitionTime, status.now),
      overridesOf(binding).join(', ') || undefined,
    ];
  });
  const more = healthy.length - shown.length;
  const repaired = healthy.flatMap((binding) => {
    const lines = objectIssues(binding);
    return lines.length === 0 ? [] : [`${binding.targetCluster}:`, ...lines.map((line) => `  ${line}`)];
  });
  return [
    titled(
      `${needsRunText(placement, status.notRolledOut) === undefined ? 'As desired' : 'Healthy'} on ${healthy.length} of ${state.bindings.length} clusters`,
      [
        table(['CLUSTER', 'SNAPSHOT', 'STATE', 'AGE', 'OVERRIDES'], shown),
        ...(more > 0 ? [`and ${more} more`] : []),
        ...repaired,
      ].join('\n'),
    ),
  ];
}

/** Healthy clusters that are listed. */
const mostHealthy = 20;

function bindingText(binding: Binding, { unreachable, now }: Status): string {
  const state = binding.deleting ? 'being removed' : binding.state;
  const overrides = overridesOf(binding);
  return [
    `${binding.targetCluster}: ${state}, snapshot ${snapshotText(binding, unreachable.has(binding.targetCluster)) ?? '<none>'}`,
    indent(conditionTable(binding.conditions, now)),
    ...(overrides.length > 0 ? [`  overrides: ${overrides.join(', ')}`] : []),
    ...objectIssues(binding).map((line) => `  ${line}`),
  ].join('\n');
}

function runLines(placement: KnownPlacement, { runs }: FleetRecord): string[] {
  const mine = [...runs.values()].filter((run) => isRunOf(run, placement));
  if (mine.length === 0) return [];
  const rows = mine.map(({ metadata, status }) => [
    metadata.name,
    status?.resourceSnapshotIndexUsed,
    statusOf(status?.conditions, 'Progressing'),
    statusOf(status?.conditions, 'Succeeded'),
  ]);
  return [titled('Runs', table(['NAME', 'SNAPSHOT', 'PROGRESSING', 'SUCCEEDED'], rows))];
}
