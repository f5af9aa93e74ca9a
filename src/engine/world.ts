import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { defaultUpgradeSettings } from '../api/upgrade-settings.ts';
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
  readonly pause: Pause;
  readonly members: ReadonlyMap<ClusterName, Member>;
  readonly index: FleetIndex;
  readonly hub: HubIndex;
  readonly overrides: OverrideHistory;
  /** Clusters with an upgrade in flight, and the run that started it: nothing else changes there. */
  readonly upgrading: ReadonlyMap<ClusterName, string>;
  readonly observationOf: (cluster: ClusterName) => ClusterObservation | undefined;
  /** The same as node disruption sees it. */
  readonly nodesOf: (cluster: ClusterName) => ClusterObservation | undefined;
  /** What a cluster gets of a snapshot's contents with these override snapshots. */
  readonly render: RenderOn;
}

/** What is known before the update runs of clusters are advanced. */
export type Surveyed = Omit<World, 'upgrading'>;

/** Whether an upgrade in flight makes a cluster count as unavailable for the budgets of placements. */
export const unavailableByUpgrade = ({ upgrading, input }: Pick<World, 'upgrading' | 'input'>) => {
  const { countsAsUnavailable } = input.fleet.config?.spec.upgrades ?? defaultUpgradeSettings;
  return (cluster: ClusterName): boolean => countsAsUnavailable && upgrading.has(cluster);
};

/** Members of the fleet that are not on their way out of it. */
export const inFleet = (cluster: ClusterName, world: Pick<World, 'members'>): boolean =>
  world.members.get(cluster)?.leaving === false;
