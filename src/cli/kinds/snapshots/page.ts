import type { PolicySnapshotEntry, ResourceSnapshotEntry } from '../../../api/placement-state.ts';
import type { KnownPlacement } from '../../status/known-placements.ts';
import { table } from '../../terminal/table.ts';
import { statusOf } from '../listing.ts';
import { conditionTable, fields, objectText, titled } from '../page-text.ts';
import { decisionTable } from '../placements/decision-table.ts';

export interface OfPlacement<T> {
  readonly placement: KnownPlacement;
  readonly entry: T;
}

interface SnapshotName {
  readonly name: string;
  readonly kind: string;
}

/** The objects of a resource snapshot, and the clusters that have it. */
export function snapshotPage(named: SnapshotName, { placement, entry }: OfPlacement<ResourceSnapshotEntry>): string[] {
  const on = placement.state.bindings.filter(({ resourceSnapshotIndex }) => resourceSnapshotIndex === entry.index);
  const objects = placement.snapshots.get(entry.index) ?? [];
  return [
    fields([
      ...head(named, placement, entry),
      ['Taken', entry.createdAt],
      ['Commit', entry.commit],
      ['Hash', entry.hash],
    ]),
    titled(
      'Objects',
      table(
        ['KIND', 'NAMESPACE', 'NAME', 'VERSION'],
        objects.map(({ apiVersion, kind, metadata }) => [kind, metadata.namespace, metadata.name, apiVersion]),
      ),
    ),
    on.length === 0
      ? 'Clusters:  <none>'
      : titled(
          'Clusters',
          table(
            ['CLUSTER', 'STATE', 'APPLIED', 'AVAILABLE'],
            on.map(({ targetCluster, state, deleting, conditions }) => [
              targetCluster,
              deleting ? 'Deleting' : state,
              statusOf(conditions, 'Applied'),
              statusOf(conditions, 'Available'),
            ]),
          ),
        ),
  ];
}

/** A policy snapshot, and the scheduler's decisions for it. */
export function policySnapshotPage(
  named: SnapshotName,
  { placement, entry }: OfPlacement<PolicySnapshotEntry>,
): string[] {
  return [
    fields([
      ...head(named, placement, entry),
      entry.numberOfClusters === undefined ? undefined : ['Clusters', entry.numberOfClusters],
      ['Generation', entry.observedGeneration],
      ['Hash', entry.policyHash],
    ]),
    titled('Policy', objectText(entry.policy)),
    titled('Conditions', conditionTable(entry.conditions)),
    titled('Decisions', decisionTable(entry.targetClusters)),
  ];
}

const head = (
  { name, kind }: SnapshotName,
  { title, namespace }: KnownPlacement,
  { index, latest }: { readonly index: number; readonly latest?: boolean | undefined },
): Parameters<typeof fields>[0] => [
  ['Name', name],
  namespace === undefined ? undefined : ['Namespace', namespace],
  ['Kind', kind],
  ['Placement', title],
  ['Index', latest ? `${index}, the latest` : index],
];
