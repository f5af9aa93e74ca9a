import type { FleetObject } from '../../api/kinds.ts';
import type { ObjectRef } from '../../api/meta.ts';
import { type Placement, placementKey, refOf } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, HubObject } from '../../engine/input.ts';
import { by } from '../../engine/kernel/ordering.ts';

/**
 * Sorts what was read into the lists of a Fleet, each by namespace and name, so that the order of files never matters. A
 * SimulatedFleet is no part of it: it says how a simulation behaves, not what is wanted.
 */
export function sortFleet(read: {
  readonly objects: readonly FleetObject[];
  readonly beingDeleted: readonly Placement[];
  readonly resources: readonly HubObject[];
  readonly refused: readonly ObjectRef[];
  readonly unreadable: readonly string[];
  readonly problems: readonly Problem[];
  readonly notActedOn: readonly ObjectRef[];
  readonly sources: NonNullable<Fleet['sources']>;
  readonly withoutStrategy: NonNullable<Fleet['withoutStrategy']>;
}): Fleet {
  const of = <K extends FleetObject['kind']>(...kinds: K[]): Extract<FleetObject, { kind: K }>[] =>
    (read.objects.filter(({ kind }) => (kinds as string[]).includes(kind)) as Extract<FleetObject, { kind: K }>[]).sort(
      by(({ kind, metadata }) => `${metadata?.namespace ?? ''}\0${metadata?.name ?? ''}\0${kind}`),
    );
  return {
    members: of('MemberCluster'),
    placements: of('ClusterResourcePlacement', 'ResourcePlacement'),
    beingDeleted: [...read.beingDeleted].sort(by((placement) => placementKey(refOf(placement)))),
    overrides: of('ClusterResourceOverride', 'ResourceOverride'),
    strategies: of('ClusterStagedUpdateStrategy', 'StagedUpdateStrategy'),
    runs: of('ClusterStagedUpdateRun', 'StagedUpdateRun'),
    approvals: of('ClusterApprovalRequest', 'ApprovalRequest'),
    evictions: of('ClusterResourcePlacementEviction'),
    budgets: of('ClusterResourcePlacementDisruptionBudget'),
    priceLists: of('PriceList'),
    removalApprovals: of('RemovalApproval'),
    config: of('FleetConfig')[0],
    withoutStrategy: read.withoutStrategy,
    resources: [...read.resources].sort(
      by(
        ({ manifest: { apiVersion, kind, metadata } }) =>
          `${apiVersion}\0${kind}\0${metadata.namespace ?? ''}\0${metadata.name}`,
      ),
    ),
    notActedOn: [...read.notActedOn].sort(by(textOf)),
    refused: [...new Map(read.refused.map((ref) => [textOf(ref), ref])).values()].sort(by(textOf)),
    unreadable: [...new Set(read.unreadable)].sort(),
    problems: read.problems,
    sources: read.sources,
  };
}

const textOf = ({ apiVersion, kind, namespace, name }: ObjectRef): string =>
  `${apiVersion}\0${kind}\0${namespace ?? ''}\0${name}`;
