import { abandons } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import { apiVersionOf } from '../../../engine/selection/group-version.ts';
import { isRunOf } from '../../../engine/update-run.ts';
import { snapshotText } from '../../../report/applied-snapshot.ts';
import { waitsOfPlacement } from '../../../report/waits/waits.ts';
import type { KnownPlacement } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';
import { table } from '../../terminal/table.ts';
import { objectIssues, overridesOf } from '../bindings/object-issues.ts';
import { statusOf } from '../listing.ts';
import { conditionTable, fields, indent, sentences, titled } from '../page-text.ts';
import { decisionTable } from './decision-table.ts';

/** A placement with all its decisions, scores and clusters, one part each. */
export function placementPage(placement: KnownPlacement, status: Status): string[] {
  const { object, state } = placement;
  const waits = waitsOfPlacement(placement, status);
  return [
    head(placement),
    ...(waits.length === 0 ? [] : [titled('Waits for', sentences(waits))]),
    titled('Conditions', conditionTable(object?.status?.conditions)),
    titled('Decisions', decisionTable(latestOf(state.policySnapshots)?.targetClusters)),
    ...state.bindings.map((binding) => bindingText(binding, status)),
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
    object && abandons(object) ? ['Deletion', 'keeps its objects on the clusters (Abandon)'] : undefined,
    suspended === undefined ? undefined : ['Suspended', suspended || 'yes'],
    ['Snapshot', snapshot && `${snapshot.index}${snapshot.commit ? ` of commit ${snapshot.commit.slice(0, 12)}` : ''}`],
  ]);
}

function bindingText(binding: Binding, { unreachable }: Status): string {
  const state = binding.deleting ? 'being removed' : binding.state;
  const overrides = overridesOf(binding);
  return [
    `${binding.targetCluster}: ${state}, snapshot ${snapshotText(binding, unreachable.has(binding.targetCluster)) ?? '<none>'}`,
    indent(conditionTable(binding.conditions)),
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
