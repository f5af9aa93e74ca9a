import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Admitted } from './admission/admit.ts';
import type { FleetRecord, PlanInput } from './input.ts';
import type { RenderOn } from './overrides/render.ts';
import type { OverrideHistory } from './overrides/snapshots.ts';
import type { Pause } from './pause/pause.ts';
import type { FleetIndex } from './placement/compiled/compile-fleet.ts';
import type { Member } from './placement/members.ts';
import type { Hold } from './plan-document.ts';
import type { HubIndex } from './selection/hub.ts';

/** What every placement of one plan reads; compiled once. */
export interface World {
  readonly input: PlanInput;
  /** The record, rebuilt from observations when it was lost. */
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

/** Members of the fleet that are not on their way out of it. */
export const inFleet = (cluster: ClusterName, world: World): boolean => world.members.get(cluster)?.leaving === false;
