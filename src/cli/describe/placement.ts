import { abandons } from '../../api/placement.ts';
import type { Binding, PolicySnapshotEntry } from '../../api/placement-state.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { suspendedAnnotation } from '../../engine/pause/placement-pause.ts';
import { apiVersionOf } from '../../engine/selection/group-version.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { latestOf } from '../../engine/selection/snapshot.ts';
import { isRunOf } from '../../engine/update-run.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../../report/cause.ts';
import { differenceLines, isPutRight } from '../status/difference-lines.ts';
import { statusOf } from '../status/listing.ts';
import type { Status } from '../status/open-status.ts';
import type { KnownPlacement } from '../status/placements.ts';
import { waitsOfPlacement } from '../status/waits.ts';
import { table } from '../terminal/table.ts';
import { indent, titled } from './object.ts';
import { conditionTable, fields, sentences } from './parts.ts';

/** A placement with all its decisions, scores and clusters, one part each. */
export function placementText(placement: KnownPlacement, status: Status): string[] {
  const { object, state } = placement;
  const waits = waitsOfPlacement(placement, status);
  return [
    head(placement),
    ...(waits.length === 0 ? [] : [titled('Waits for', sentences(waits))]),
    titled('Conditions', conditionTable(object?.status?.conditions)),
    titled('Decisions', decisionTable(latestOf(state.policySnapshots)?.targetClusters)),
    ...state.bindings.map(bindingText),
    ...runLines(placement, status.record),
    titled(
      'Selected resources',
      table(
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
    object && abandons(object) ? ['Deletion', 'leaves what it holds where it is (Abandon)'] : undefined,
    suspended === undefined ? undefined : ['Suspended', suspended || 'yes'],
    ['Snapshot', snapshot && `${snapshot.index}${snapshot.commit ? ` of commit ${snapshot.commit.slice(0, 12)}` : ''}`],
  ]);
}

/** What the scheduler said of every cluster, in its order. */
export const decisionTable = (decisions: PolicySnapshotEntry['targetClusters']): string =>
  table(
    ['CLUSTER', 'SELECTED', 'AFFINITY', 'SPREAD', 'REASON'],
    (decisions ?? []).map((decision) => [
      decision.clusterName,
      String(decision.selected),
      decision.clusterScore?.affinityScore,
      decision.clusterScore?.topologySpreadScore,
      decision.reason,
    ]),
  );

function bindingText(binding: Binding): string {
  const state = binding.deleting ? 'being removed' : binding.state;
  const overrides = overridesOf(binding);
  return [
    `${binding.targetCluster}: ${state}, snapshot ${binding.resourceSnapshotIndex ?? '<none>'}`,
    indent(conditionTable(binding.conditions)),
    ...(overrides.length > 0 ? [`  overrides: ${overrides.join(', ')}`] : []),
    ...troubles(binding).map((line) => `  ${line}`),
  ].join('\n');
}

/** Snapshots of the overrides that change what this cluster gets. */
export const overridesOf = (binding: Binding): string[] => [
  ...(binding.clusterResourceOverrideSnapshots ?? []),
  ...(binding.resourceOverrideSnapshots ?? []).map(titleOf),
];

/** What fails, drifted or differs of a binding, one line each and the differences under it. */
export function troubles(binding: Binding): string[] {
  return [
    ...(binding.failedPlacements ?? []).map((failed) => `✗ ${describeRef(failed)}: ${causeOf(failed.condition)}`),
    ...(binding.driftedPlacements ?? []).flatMap((found) => [
      isPutRight(found)
        ? `✓ ${describeRef(found)} drifted at ${found.firstDriftedObservedTime ?? 'an unknown time'} and was put right`
        : `≠ ${describeRef(found)} drifted since ${found.firstDriftedObservedTime ?? 'an unknown time'}`,
      ...details({ drifted: found }),
    ]),
    ...(binding.diffedPlacements ?? []).flatMap((found) => [
      `≠ ${describeRef(found)} differs since ${found.firstDiffedObservedTime ?? 'an unknown time'}`,
      ...details({ diffed: found }),
    ]),
  ];
}

const details = (found: Parameters<typeof differenceLines>[0]): string[] =>
  differenceLines(found).map((line) => `    ${line}`);

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
