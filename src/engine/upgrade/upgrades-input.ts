import type { AutoUpgradeProfile } from '../../api/auto-upgrade-profile.ts';
import type { ClusterName, Manifest, Timestamp } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import type { UpgradeType } from '../../api/upgrade-fields.ts';
import type { UpgradeGate } from '../../api/upgrade-gate.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpdateStrategy } from '../../api/upgrade-strategy.ts';
import type { GateInput } from '../gate/answer.ts';
import type { Fleet } from '../input.ts';
import type { Instant } from '../kernel/instant.ts';
import type { Labels } from '../kernel/selector.ts';
import type { Pause } from '../pause/pause.ts';
import type { RegionCatalog } from './catalog.ts';
import type { Maintenance } from './maintenance.ts';

/** A member of the fleet as update runs see it. */
export interface UpgradeMember {
  readonly name: ClusterName;
  readonly labels: Labels;
  readonly annotations: Readonly<Record<string, string>>;
  /** Undefined = not reached, or not looked at. */
  readonly observation: ClusterObservation | undefined;
  /** Since when it has been tried to reach it without a break, milliseconds; undefined = there was no break. */
  readonly askedSince: Instant | undefined;
  /** As last observed, whether or not it is observed now; undefined = it never was. */
  readonly lastVersions: ObservedVersions | undefined;
  /** False = it was not looked at: nothing is known of its versions. */
  readonly isObserved: boolean;
  readonly region: string | undefined;
}

export interface UpgradesInput extends GateInput {
  /** As written, or at their last good version; sorted by name. */
  readonly runs: readonly UpdateRun[];
  /** By name, with `.status` as last published. */
  readonly recorded: ReadonlyMap<string, UpdateRun>;
  /** Recorded runs whose file is removed. */
  readonly removed: readonly UpdateRun[];
  readonly strategies: readonly UpdateStrategy[];
  /** As written, or at their last good version. */
  readonly profiles: readonly AutoUpgradeProfile[];
  /** Approval files on main. */
  readonly gates: readonly UpgradeGate[];
  /** In the fleet and not leaving it, by name. */
  readonly members: ReadonlyMap<ClusterName, UpgradeMember>;
  /** The windows that restrict a member; undefined = none. */
  readonly maintenanceOf: (member: UpgradeMember, type: UpgradeType) => Maintenance | undefined;
  /** Why windows are not known: the file may close those of any member. Undefined = all are known. */
  readonly unknownWindows: string | undefined;
  /** Why it is not known what exists where. Undefined = all catalogs could be read. */
  readonly unknownVersions: string | undefined;
  /** Of all regions. */
  readonly versionCatalogs: Fleet['versionCatalogs'];
  /** What exists where the member is; undefined = nothing is known of it. */
  readonly catalogOf: (member: UpgradeMember) => RegionCatalog | undefined;
  /** What placements put on the member in APIs that Kubernetes removes. */
  readonly placedInOldApis: (member: UpgradeMember) => readonly Manifest[];
  readonly now: Timestamp;
  /** Of the fleet repo, that is planned for. */
  readonly commit: string;
  /** Of the whole fleet. */
  readonly pause: Pause;
  readonly digest: (text: string) => string;
  readonly recordLost: boolean;
  readonly unread: ReadonlySet<string> | undefined;
  readonly sources: Fleet['sources'];
}
