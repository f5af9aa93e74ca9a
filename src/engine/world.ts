import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { type Admitted, admit } from './admission/admit.ts';
import type { PlanInput } from './input.ts';
import { type OverrideHistory, snapshotOverrides } from './overrides/snapshots.ts';
import { compileFleet, type FleetIndex } from './placement/compile-fleet.ts';
import { type Member, surveyMembers } from './placement/members.ts';
import { compileHub, type HubIndex } from './selection/hub.ts';

/** What every placement of one plan looks at: compiled once, read by all. */
export interface World {
  readonly input: PlanInput;
  readonly admitted: Admitted;
  readonly members: ReadonlyMap<ClusterName, Member>;
  readonly index: FleetIndex;
  readonly hub: HubIndex;
  readonly overrides: OverrideHistory;
  readonly observationOf: (cluster: ClusterName) => ClusterObservation | undefined;
}

/** Admits the fleet, surveys the members and compiles both. */
export function survey(input: PlanInput): World {
  const admitted = admit(input.fleet, input.record);
  const members = surveyMembers({ ...input, fleet: { ...input.fleet, members: admitted.members } });
  return {
    input,
    admitted,
    members: new Map(members.map((member) => [member.name, member])),
    index: compileFleet(members),
    hub: compileHub(admitted.resources),
    overrides: snapshotOverrides({
      overrides: input.fleet.overrides,
      recorded: input.record.overrides,
      digest: input.digest,
    }),
    observationOf: (cluster) => input.observations?.get(cluster),
  };
}
