import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { type Admitted, admit } from './admission/admit.ts';
import { freezeAt } from './freeze/freeze.ts';
import type { FleetRecord, PlanInput } from './input.ts';
import { overridesInUse } from './overrides/in-use.ts';
import { type RenderOn, render } from './overrides/render.ts';
import { type OverrideHistory, snapshotOverrides } from './overrides/snapshots.ts';
import type { Pause } from './pause/pause.ts';
import { compileFleet, type FleetIndex } from './placement/compiled/compile-fleet.ts';
import { type Member, surveyMembers } from './placement/members.ts';
import type { Hold } from './plan-document.ts';
import { withLastGoodConfig } from './recovery/last-good-config.ts';
import { recoverRecord } from './recovery/record-lost.ts';
import { withoutUnread } from './recovery/without-unread.ts';
import { compileHub, type HubIndex } from './selection/hub.ts';

/** What every placement of one plan looks at: compiled once, read by all. */
export interface World {
  readonly input: PlanInput;
  /** The record, rebuilt from sightings when it was lost. */
  readonly record: FleetRecord;
  readonly recordLost: boolean;
  readonly admitted: Admitted;
  readonly holds: readonly Hold[];
  /** Of the whole fleet. */
  readonly freeze: Pause;
  readonly members: ReadonlyMap<ClusterName, Member>;
  readonly index: FleetIndex;
  readonly hub: HubIndex;
  readonly overrides: OverrideHistory;
  readonly observationOf: (cluster: ClusterName) => ClusterObservation | undefined;
  /** What a cluster gets of a snapshot's contents with these override snapshots. */
  readonly render: RenderOn;
}

/** Admits the fleet, surveys the members and compiles both. */
export function survey(written: PlanInput): World {
  const { input: configured, holds: configHolds } = withLastGoodConfig(written);
  const { record, holds, lost } = recoverRecord(configured);
  const { fleet, holds: unreadHolds } = withoutUnread(configured.fleet, record);
  const input = fleet === configured.fleet ? configured : { ...configured, fleet };
  const admitted = admit(input.fleet, record);
  const members = surveyMembers({
    now: input.now,
    observations: input.observations,
    fleet: { members: admitted.members },
    record,
  });
  const byName = new Map(members.map((member) => [member.name, member]));
  const overrides = snapshotOverrides({
    overrides: admitted.overrides,
    recorded: record.overrides,
    digest: input.digest,
    refused: input.fleet.refused,
    unreadable: input.fleet.unreadable,
    inUse: overridesInUse(
      [...record.placements.values()].map(({ state }) => state),
      record.runs.values(),
    ),
  });
  return {
    input,
    record,
    recordLost: lost,
    admitted,
    holds: [...configHolds, ...holds, ...unreadHolds, ...admitted.holds],
    freeze: freezeAt(input.fleet.config, input.now),
    members: byName,
    index: compileFleet(members),
    hub: compileHub(admitted.resources),
    overrides,
    observationOf: (cluster) => input.observations?.get(cluster),
    render: ({
      placement,
      manifests,
      lists,
      cluster,
      labels = lists.clusterLabels ?? byName.get(cluster)?.labels ?? {},
    }) =>
      render({
        placement,
        manifests,
        lists,
        history: overrides,
        cluster: { name: cluster, labels },
        digest: input.digest,
      }),
  };
}

/** Members of the fleet that are not on their way out of it. */
export const inFleet = (cluster: ClusterName, world: World): boolean => world.members.get(cluster)?.leaving === false;
