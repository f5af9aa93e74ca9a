import { envelopeKinds } from './kinds/envelopes.ts';
import { evictionKinds } from './kinds/evictions.ts';
import { gitfleetKinds } from './kinds/gitfleet.ts';
import { clusterGroup, type Kind, ownGroup, placementGroup } from './kinds/kind.ts';
import { memberKinds } from './kinds/members.ts';
import { nodeKinds } from './kinds/nodes.ts';
import { overrideKinds } from './kinds/overrides.ts';
import { placementKinds } from './kinds/placements.ts';
import { stagedKinds } from './kinds/staged.ts';
import { upgradeSettingKinds } from './kinds/upgrade-settings.ts';
import { upgradeKinds } from './kinds/upgrades.ts';

const rows = [
  ...memberKinds,
  ...placementKinds,
  ...overrideKinds,
  ...envelopeKinds,
  ...stagedKinds,
  ...evictionKinds,
  ...gitfleetKinds,
  ...upgradeKinds,
  ...upgradeSettingKinds,
  ...nodeKinds,
] as const;

/** Every object of a fleet repo except the resources to place. */
export type FleetObject = (typeof rows)[number] extends infer Row ? (Row extends Kind<infer T> ? T : never) : never;

/** Every kind of a fleet repo that gitfleet itself reads: KubeFleet's and its own. */
export const fleetKinds: readonly Kind<FleetObject>[] = rows;

const byKind = new Map(fleetKinds.map((row) => [row.kind, row]));

/** The row of a fleet object. */
export const kindOf = <T extends FleetObject>({ kind }: T): Kind<T> => byKind.get(kind) as Kind<T>;

/** What in an approval of this kind is the answer; undefined for other kinds. */
export const answeredBy = (kind: string | undefined): Kind['answeredBy'] => rowOf(kind)?.answeredBy;

/** Whether gitfleet carries out objects of this kind by itself. */
export const isWork = (kind: string): boolean => rowOf(kind)?.isWork === true;

/** Whether an object of this kind that waits is not recorded yet. */
export const waitsUnrecorded = (kind: string): boolean => rowOf(kind)?.waitsUnrecorded === true;

const rowOf = (kind: string | undefined): Kind<FleetObject> | undefined =>
  fleetKinds.find((candidate) => candidate.kind === kind);

/** Kinds that KubeFleet's controllers write on a hub. gitfleet keeps their content on the status branch. */
const generated: ReadonlySet<string> = new Set([
  'ClusterSchedulingPolicySnapshot',
  'SchedulingPolicySnapshot',
  'ClusterResourceSnapshot',
  'ResourceSnapshot',
  'ClusterResourceBinding',
  'ResourceBinding',
  'ClusterResourceOverrideSnapshot',
  'ResourceOverrideSnapshot',
  'ClusterResourcePlacementStatus',
  'Work',
  'AppliedWork',
  'InternalMemberCluster',
]);

/** The row of a fleet kind, or why there is none. */
export function fleetKindOf(apiVersion: string, kind: string): Kind<FleetObject> | 'generated' | 'unknown' {
  const group = apiVersion.split('/')[0] ?? '';
  const found = fleetKinds.find((candidate) => candidate.group === group && candidate.kind === kind);
  if (found) return found;
  return generated.has(kind) ? 'generated' : 'unknown';
}

/** Whether an apiVersion belongs to a group of KubeFleet or gitfleet, for any kind. */
export const isFleetGroup = (apiVersion: string): boolean =>
  [placementGroup, clusterGroup, ownGroup].includes(apiVersion.split('/')[0] ?? '');
