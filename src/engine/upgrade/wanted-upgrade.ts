import type { ObservedVersions } from '../../api/observed-versions.ts';
import type { UpgradeType } from '../../api/upgrade-fields.ts';
import type { Instant } from '../kernel/instant.ts';
import type { RegionCatalog } from './catalog.ts';

/** What a run wants of each of its members. */
export interface WantedUpgrade {
  readonly type: UpgradeType;
  /** `1.31` or `1.31.5`; absent exactly for NodeImageOnly. */
  readonly kubernetesVersion?: string | undefined;
  readonly images: WantedImages;
  readonly chainMinors: boolean;
  /** The run was made by an AutoUpgradeProfile: a member that is too far behind is skipped, not failed. */
  readonly ofProfile: boolean;
  /** That profile is for clusters with long-term support only. */
  readonly longTermSupport: boolean;
}

/** Latest: the newest at the start of each member. Otherwise the list that was selected for the run (`consistentImages`). */
export type WantedImages =
  | { readonly type: 'Latest' }
  | { readonly type: 'Consistent' | 'Custom'; readonly selected: readonly string[] };

export interface MemberVersions {
  /** Undefined = nothing was observed. */
  readonly versions: ObservedVersions | undefined;
  /** The member's region, for messages. */
  readonly region: string | undefined;
  /** Undefined = nothing is known of the region, and nothing there is restricted. */
  readonly catalog: RegionCatalog | undefined;
  readonly nowMs: Instant;
}

/** Why a member does not start. Of several, a skip counts before a failure, and that before waiting. */
export type MemberProblem =
  | { readonly kind: 'skip'; readonly code: 'NodeImageNotFound' | 'TooFarBehind'; readonly message: string }
  | { readonly kind: 'fail'; readonly code: 'MinorSkipped' | 'UnsupportedKubernetesVersion'; readonly message: string }
  | {
      readonly kind: 'wait';
      readonly code: 'KubernetesVersionNotAvailable' | 'NodeImageVersionNotAvailable';
      readonly message: string;
    };

/** `; see https://…`, where catalogs name a release tracker. */
export const trackerText = (catalog: RegionCatalog | undefined): string =>
  catalog?.releaseTracker === undefined ? '' : `; see ${catalog.releaseTracker}`;
