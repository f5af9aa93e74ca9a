import type { FleetConfig } from '../../../api/gitfleet.ts';
import type { MemberCluster } from '../../../api/member-cluster.ts';
import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import type { OverrideSnapshot } from '../../../api/override.ts';
import { type Placement, placementKey, refOf } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import { type Fleet, type FleetRecord, writtenPlacements } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { alwaysFrozen } from '../recorded-fleet.ts';
import type { FollowedHistory } from './followed-history.ts';
import { mismatch } from './mismatch.ts';

/** A version in the record, and its replacement if the followed branch never had it. */
interface Claim {
  readonly path: string;
  /** Its commit according to the record. */
  readonly commit?: string | undefined;
  /** True: the fleet had exactly this version. */
  readonly isHeldBy: (fleet: Fleet) => boolean;
  /** Replaces it with the version of a fleet; undefined if the fleet had nothing of that name. */
  readonly insteadIn: (fleet: Fleet) => ((record: FleetRecord) => FleetRecord) | undefined;
  /** Removes it, if no fleet had anything of that name. */
  readonly without: (record: FleetRecord) => FleetRecord;
}

interface Verified {
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
}

export interface VersionVerifier {
  verify(record: FleetRecord, history: FollowedHistory): Promise<Verified>;
  /** This daemon published the record, so its content came from the followed branch. */
  trust(record: FleetRecord): void;
}

/**
 * Verifies last good versions of placements, members and the FleetConfig, override snapshots, and labels used by overrides: each is
 * a version of the followed branch, or is replaced by the last one there.
 */
export function versionVerifier(): VersionVerifier {
  const trusted = new WeakSet<object>();
  /** At rest, record and tip stay the same, so open claims are not searched in history again. */
  let last: { readonly of: FleetRecord; readonly tip: Fleet; readonly verified: Verified } | undefined;
  return {
    async verify(record, history) {
      const tip = (await history.fleetAt(history.tip))!;
      if (last?.of === record && last.tip === tip) return last.verified;
      const open = new Set<Claim>();
      for (const [value, claim] of claimsOf(record, tip)) {
        if (value !== undefined && trusted.has(value)) continue;
        if (!claim.isHeldBy(tip)) open.add(claim);
        else if (value) trusted.add(value);
      }
      const verified = open.size === 0 ? { record, problems: [] } : await settle(record, { open, history, tip });
      last = { of: record, tip, verified };
      return verified;
    },
    trust(record) {
      for (const value of valuesOf(record)) trusted.add(value);
    },
  };
}

/** Searches open claims at their own commit, at the commit of the record, and before that. */
async function settle(
  record: FleetRecord,
  of: { readonly open: Set<Claim>; readonly history: FollowedHistory; readonly tip: Fleet },
): Promise<Verified> {
  const { open, history, tip } = of;
  const last = new Map<Claim, (record: FleetRecord) => FleetRecord>();
  const look = (fleet: Fleet, claims: Iterable<Claim>): void => {
    for (const claim of claims) {
      if (claim.isHeldBy(fleet)) open.delete(claim);
      const instead = last.has(claim) ? undefined : claim.insteadIn(fleet);
      if (instead) last.set(claim, instead);
    }
  };
  look(tip, [...open]);
  for (const claim of [...open]) {
    const fleet = claim.commit === undefined ? undefined : await history.fleetAt(claim.commit);
    if (fleet && claim.isHeldBy(fleet)) open.delete(claim);
  }
  const planned = open.size > 0 && record.commit !== undefined ? await history.fleetAt(record.commit) : undefined;
  if (planned) look(planned, [...open]);
  if (open.size > 0)
    for await (const fleet of history.before(planned ? record.commit! : history.tip)) {
      look(fleet, [...open]);
      if (open.size === 0) break;
    }
  let healed = record;
  for (const claim of open) healed = (last.get(claim) ?? claim.without)(healed);
  return { record: healed, problems: [...open].map((claim) => problemOf(claim, last.has(claim))) };
}

const problemOf = ({ path }: Claim, isHealed: boolean): Problem =>
  mismatch(
    path,
    isHealed
      ? 'the followed branch never had this version: gitfleet uses the last one that it had'
      : 'the followed branch never had it: gitfleet does not use it',
  );

function* claimsOf(record: FleetRecord, tip: Fleet): Iterable<readonly [object | undefined, Claim]> {
  const isOpen = tip.unreadable.length > 0;
  const refused = new Set(tip.refused.map(({ kind }) => kind));
  for (const [key, { object }] of record.placements) if (object) yield [object, placementClaim(key, object)];
  const members = membersOf(tip);
  for (const [name, cluster] of record.clusters)
    if (members.has(name) || isOpen || refused.has('MemberCluster')) yield [cluster, clusterClaim(name, cluster)];
  if (record.config ?? (tip.config === undefined && mayHideConfig(tip)))
    yield [record.config, configClaim(record.config)];
  for (const [folder, snapshots] of record.overrides)
    for (const snapshot of snapshots) yield [snapshot, overrideClaim(folder, snapshot)];
  for (const [key, { state }] of record.placements)
    for (const { targetCluster, clusterLabels } of state.bindings)
      if (clusterLabels !== undefined)
        yield [clusterLabels, labelsClaim(key, targetCluster as ClusterName, clusterLabels)];
}

function* valuesOf(record: FleetRecord): Iterable<object> {
  for (const { object, state } of record.placements.values()) {
    if (object) yield object;
    for (const { clusterLabels } of state.bindings) if (clusterLabels) yield clusterLabels;
  }
  yield* record.clusters.values();
  if (record.config) yield record.config;
  for (const snapshots of record.overrides.values()) yield* snapshots;
}

const same = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

function placementClaim(key: PlacementKey, object: Placement): Claim {
  const written = (fleet: Fleet): Placement | undefined => {
    const found = placementsOf(fleet).get(key);
    return found?.kind === object.kind ? found : undefined;
  };
  const withObject = (next: Placement | undefined) => (record: FleetRecord) => ({
    ...record,
    placements: new Map(record.placements).set(key, { ...record.placements.get(key)!, object: next }),
  });
  return {
    path: `placements/${key}/status.yaml`,
    isHeldBy: (fleet) => same(written(fleet)?.spec, object.spec),
    insteadIn(fleet) {
      const found = written(fleet);
      return found && withObject({ ...found, ...(object.status && { status: object.status }) } as Placement);
    },
    without: withObject(undefined),
  };
}

const placementsOf = memoize((fleet: Fleet) => writtenPlacements(fleet));
const membersOf = memoize(
  ({ members }: Fleet): ReadonlyMap<ClusterName, MemberCluster> =>
    new Map(members.map((member) => [member.metadata.name, member])),
);

/** The part of a member that users write, without its status. */
const writtenOf = ({ metadata, spec }: MemberCluster): object => ({ metadata, spec });

function clusterClaim(name: ClusterName, cluster: MemberCluster): Claim {
  const withCluster = (next: MemberCluster) => (record: FleetRecord) => ({
    ...record,
    clusters: new Map(record.clusters).set(name, next),
  });
  return {
    path: `clusters/${name}.yaml`,
    isHeldBy(fleet) {
      const found = membersOf(fleet).get(name);
      return found !== undefined && same(writtenOf(found), writtenOf(cluster));
    },
    insteadIn(fleet) {
      const found = membersOf(fleet).get(name);
      return found && withCluster({ ...found, ...(cluster.status && { status: cluster.status }) });
    },
    without(record) {
      const clusters = new Map(record.clusters);
      clusters.delete(name);
      return { ...record, clusters };
    },
  };
}

const mayHideConfig = ({ unreadable, refused }: Fleet): boolean =>
  unreadable.length > 0 || refused.some(({ kind }) => kind === 'FleetConfig');

function configClaim(config: FleetConfig | undefined): Claim {
  return {
    path: 'fleet.yaml',
    isHeldBy: (fleet) =>
      config === undefined
        ? fleet.config === undefined && !mayHideConfig(fleet)
        : fleet.config !== undefined && same(fleet.config.spec, config.spec),
    insteadIn: ({ config: found }) => found && ((record) => ({ ...record, config: found })),
    // Not removed: without settings freezes would end and limits would widen.
    without: (record) => (config === undefined ? record : { ...record, config: alwaysFrozen }),
  };
}

function overrideClaim(folder: string, snapshot: OverrideSnapshot): Claim {
  const { namespace } = snapshot.metadata;
  const name = namespace === undefined ? folder : folder.slice(namespace.length + 1);
  const without = (record: FleetRecord): FleetRecord => ({
    ...record,
    overrides: new Map(record.overrides).set(
      folder,
      (record.overrides.get(folder) ?? []).filter((other) => other !== snapshot),
    ),
  });
  return {
    path: `overrides/${folder}/${snapshot.index}.yaml`,
    commit: snapshot.commit,
    isHeldBy: ({ overrides }) =>
      overrides.some(
        ({ kind, metadata, spec }) =>
          `${kind}Snapshot` === snapshot.kind &&
          metadata.name === name &&
          metadata.namespace === namespace &&
          same(spec, snapshot.overrideSpec),
      ),
    // Another version is another snapshot: targets with this one cannot be rendered, and stay as they are.
    insteadIn: () => undefined,
    without,
  };
}

/** Recorded labels fill variables of overrides; without them the present labels do. */
function labelsClaim(key: PlacementKey, cluster: ClusterName, labels: Readonly<Record<string, string>>): Claim {
  return {
    path: `placements/${key}/state.yaml`,
    isHeldBy(fleet) {
      const member = membersOf(fleet).get(cluster);
      return member !== undefined && same(labelsOf(member), labels);
    },
    insteadIn: () => undefined,
    without(record) {
      const recorded = record.placements.get(key)!;
      const bindings = recorded.state.bindings.map((binding) => {
        if (binding.clusterLabels !== labels) return binding;
        const { clusterLabels: _, ...rest } = binding;
        return rest;
      });
      const state = { ...recorded.state, bindings };
      return { ...record, placements: new Map(record.placements).set(key, { ...recorded, state }) };
    },
  };
}

export const isExternalIn = (fleet: Fleet, { placements }: FleetRecord): ((key: PlacementKey) => boolean) => {
  const written = new Map(fleet.placements.map((placement) => [placementKey(refOf(placement)), placement]));
  return (key) => (written.get(key) ?? placements.get(key)?.object)?.spec.strategy.type === 'External';
};
