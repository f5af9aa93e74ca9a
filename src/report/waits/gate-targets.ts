import type { ClusterName } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { GroupUpgrade, MemberUpgrade, StageUpgrade } from '../../api/upgrade-status.ts';
import type { Fleet } from '../../engine/input.ts';
import type { Instant } from '../../engine/kernel/instant.ts';
import { labelsOf } from '../../engine/placement/members.ts';
import { catalogOf } from '../../engine/upgrade/catalog.ts';
import { providerAnnotation } from '../../engine/upgrade/member-annotations.ts';
import { regionOf } from '../../engine/upgrade/member-region.ts';
import { type TargetOfMember, targetOfMember } from '../../engine/upgrade/target-of-member.ts';
import { isInFlight, isSkipped, isTerminal, mapMembers, membersOf, withStatus } from '../../engine/upgrade/tree.ts';
import { wantedBy } from '../../engine/upgrade/wanted.ts';
import type { StartedUpgrade } from './gate-starts.ts';

/** What decides what becomes of clusters, besides the run. */
export interface TargetFacts {
  readonly fleet: Pick<Fleet, 'members' | 'versionCatalogs' | 'upgradeProfiles'>;
  readonly observations: ReadonlyMap<ClusterName, Pick<ClusterObservation, 'versions'>>;
  readonly nowMs: Instant;
}

export type TargetOf = (cluster: ClusterName) => TargetOfMember;

/** What a plan would do with a cluster of the run now. */
export function targetsOf(run: StartedUpgrade, { fleet, observations, nowMs }: TargetFacts): TargetOf {
  const { managedClusterUpdate } = run.spec;
  const wanted = wantedBy(managedClusterUpdate, { run, status: run.status }, { profiles: fleet.upgradeProfiles });
  const members = new Map(fleet.members.map((member) => [member.metadata.name, member]));
  return (cluster) => {
    const member = members.get(cluster);
    const versions = observations.get(cluster)?.versions;
    const region = regionOf(member ? labelsOf(member) : {}, versions);
    const provider = member?.metadata.annotations?.[providerAnnotation];
    return targetOfMember(wanted, {
      versions,
      region,
      catalog: catalogOf(fleet.versionCatalogs, region, provider),
      nowMs,
    });
  };
}

/** Why a cluster is skipped once its turn has come; undefined = it is not. */
export function skippedBy(targetOf: TargetOf, member: MemberUpgrade): string | undefined {
  if (isTerminal(member) || isInFlight(member)) return undefined;
  const { name, operationId } = member;
  const target = targetOf(name);
  // What an operation of the run has brought to its target is done.
  const isSkip = target.kind === 'skip' || (target.kind === 'at-target' && operationId === undefined);
  return isSkip ? target.message : undefined;
}

/**
 * The run once the clusters are skipped that need no upgrade. What follows groups and stages of which all are skipped is skipped too;
 * gates before them are asked first.
 */
export function withSkips(run: StartedUpgrade, targetOf: TargetOf): StartedUpgrade {
  const status = mapMembers(run.status, (member) =>
    skippedBy(targetOf, member) === undefined ? member : withStatus(member, { state: 'Skipped' }),
  );
  const stages = status.stages.map((stage, at) => {
    if (stage === run.status.stages[at]) return stage;
    const groups = stage.groups.map((group) => (group.members.every(isSkipped) ? withoutAfter(group) : group));
    if (!membersOf(stage).every(isSkipped)) return { ...stage, groups };
    const { afterStageWaitStatus: _, ...rest } = withoutAfter(stage);
    return { ...rest, groups };
  });
  return { ...run, status: { ...status, stages } };
}

const withoutAfter = <S extends GroupUpgrade | StageUpgrade>(scope: S): S => ({
  ...scope,
  afterGates: scope.afterGates.map((gate) => ({ ...gate, status: { state: 'Skipped' } })),
});
