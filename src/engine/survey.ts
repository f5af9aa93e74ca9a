import { admit } from './admission/admit.ts';
import { freezeOf } from './freeze/freeze.ts';
import type { PlanInput } from './input.ts';
import { overridesInUse } from './overrides/in-use.ts';
import { render } from './overrides/render.ts';
import { snapshotOverrides } from './overrides/snapshots.ts';
import { compileFleet } from './placement/compiled/compile-fleet.ts';
import { surveyMembers } from './placement/members.ts';
import { withLastGoodConfig } from './recovery/last-good-config.ts';
import { recoverRecord } from './recovery/record-lost.ts';
import { withoutUnread } from './recovery/without-unread.ts';
import { compileHub } from './selection/hub.ts';
import type { Surveyed } from './world.ts';

/** Admits the fleet, surveys the members and compiles both. */
export function survey(written: PlanInput): Surveyed {
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
    commit: input.commit,
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
    pause: freezeOf(input.fleet, input.now),
    members: byName,
    index: compileFleet(members),
    hub: compileHub(admitted.resources),
    overrides,
    observationOf: (cluster) => input.observations?.get(cluster),
    nodesOf: (cluster) => (input.nodeObservations ?? input.observations)?.get(cluster),
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
