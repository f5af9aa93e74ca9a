import type { FleetConfig } from '../../../api/gitfleet.ts';
import type { MemberCluster } from '../../../api/member-cluster.ts';
import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import type { OverrideSnapshot } from '../../../api/override.ts';
import { type ApplyStrategy, isPlacementKind, type Placement, placementKey } from '../../../api/placement.ts';
import type { Binding, PlacementState } from '../../../api/placement-state.ts';
import {
  maxFailuresAnnotation,
  onFailureAnnotation,
  progressDeadlineAnnotation,
} from '../../../api/run-annotations.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { forbiddenChanges } from '../../../api/transitions.ts';
import { type Fleet, type FleetRecord, writtenPlacements } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { memoize } from '../../../engine/kernel/memoize.ts';
import { labelsOf } from '../../../engine/placement/members.ts';
import { absenceMeansNothing } from '../../../engine/recovery/last-good.ts';
import { mayHideConfig } from '../../../engine/recovery/last-good-config.ts';
import { isNeverRead } from '../../../engine/recovery/never-read.ts';
import { stateOf } from '../../../engine/staged/run-state.ts';
import { sameRun } from './update-runs.ts';

/** How a version in the record compares with that of a fleet. */
type Standing =
  | 'same'
  /** Another version, which is not allowed to replace this one: this one would stay in effect. */
  | 'kept'
  /** Another version. */
  | 'replaced'
  | 'absent';

/** A version in the record, and its replacement if the followed branch never had it. */
export interface Claim {
  readonly path: string;
  /** Its commit according to the record. */
  readonly commit?: string | undefined;
  readonly standingIn: (fleet: Fleet) => Standing;
  /** The version is in effect while its file is not: then only the newest version in the history is trusted. */
  readonly isLastGood?: boolean;
  /** The record has nothing of it: at a start nobody claims that, and later only if the branch did have it. */
  readonly lacks?: 'at first' | 'later';
  /** A fleet without it ends it. */
  readonly endsWhenAbsent?: boolean;
  /** What a fleet held in its place; undefined where it held nothing of that name. */
  readonly insteadIn: (fleet: Fleet) => ((record: FleetRecord) => FleetRecord) | undefined;
  /** Removes it, if no fleet had anything of that name. */
  readonly without: (record: FleetRecord) => FleetRecord;
}

/** What the record claims of the followed branch: each value with its claim, of those that the tip may not hold. */
export function* claimsOf(record: FleetRecord, tip: Fleet): Iterable<readonly [object | undefined, Claim]> {
  const isOpen = tip.unreadable.length > 0;
  const refused = new Set(tip.refused.map(({ kind }) => kind));
  const written = placementsOf(tip);
  for (const [key, recorded] of record.placements) {
    const { object, state } = recorded;
    if (!written.has(key) && !isNeverRead(recorded))
      yield [state, nameClaim(key, latestOf(state.resourceSnapshots)?.commit)];
    if (object) yield [object, placementClaim(key, object)];
    for (const { targetCluster, clusterLabels } of state.bindings)
      if (clusterLabels !== undefined)
        yield [clusterLabels, labelsClaim(key, targetCluster as ClusterName, clusterLabels)];
    for (const strategy of strategiesIn(state)) yield [strategy, strategyClaim(key, strategy)];
  }
  for (const [key, { object }] of record.unread?.placements ?? [])
    if (object) yield [object, placementClaim(key, object)];
  const members = membersOf(tip);
  for (const [name, cluster] of record.clusters)
    if (members.has(name) || isOpen || refused.has('MemberCluster')) yield [cluster, clusterClaim(name, cluster)];
  if (record.config ?? (tip.config === undefined && mayHideConfig(tip)))
    yield [record.config, configClaim(record.config, record.exists)];
  for (const [folder, snapshots] of record.overrides)
    for (const snapshot of snapshots) yield [snapshot, overrideClaim(folder, snapshot)];
  for (const [key, run] of record.runs)
    if (runsOf(tip).has(key) || isOpen || refused.has(run.kind)) yield [run, runClaim(key, run)];
}

/** The values that claims are made of. */
export function* valuesOf(record: FleetRecord): Iterable<object> {
  for (const { object, state } of record.placements.values()) {
    if (object) yield object;
    yield state;
    for (const { clusterLabels } of state.bindings) if (clusterLabels) yield clusterLabels;
    yield* strategiesIn(state);
  }
  yield* record.clusters.values();
  if (record.config) yield record.config;
  for (const snapshots of record.overrides.values()) yield* snapshots;
  yield* record.runs.values();
}

const same = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

const changed = <T extends Placement | StagedUpdateRun>(from: T, to: T): Standing =>
  forbiddenChanges(from, to).some(({ severity }) => severity === 'error') ? 'kept' : 'replaced';

/** The written part of a placement, without generation and status. */
const saidOf = ({ kind, metadata: { name, namespace, labels, annotations }, spec }: Placement): object => ({
  kind,
  metadata: { name, namespace, labels, annotations },
  spec,
});

function placementClaim(key: PlacementKey, object: Placement): Claim {
  const withObject = (next: Placement | undefined) => (record: FleetRecord) => withPlacementObject(record, key, next);
  return {
    path: `placements/${key}/status.yaml`,
    isLastGood: true,
    standingIn(fleet) {
      const found = placementsOf(fleet).get(key);
      if (found === undefined) return 'absent';
      return same(saidOf(found), saidOf(object)) ? 'same' : changed(object, found);
    },
    insteadIn(fleet) {
      const found = placementsOf(fleet).get(key);
      return found && withObject({ ...found, ...(object.status && { status: object.status }) } as Placement);
    },
    without: withObject(undefined),
  };
}

/** The record with another version of a placement, also if its state is unreadable. */
function withPlacementObject(record: FleetRecord, key: PlacementKey, object: Placement | undefined): FleetRecord {
  const recorded = record.placements.get(key);
  if (recorded) return { ...record, placements: new Map(record.placements).set(key, { ...recorded, object }) };
  const unread = record.unread?.placements.get(key);
  if (unread === undefined) return record;
  const placements = new Map(record.unread!.placements).set(key, { ...unread, object });
  return { ...record, unread: { ...record.unread!, placements } };
}

/** The followed branch had a placement of this name. Else its label may belong to another fleet, and nothing is removed. */
function nameClaim(key: PlacementKey, commit: string | undefined): Claim {
  return {
    path: `placements/${key}/state.yaml`,
    commit,
    standingIn: (fleet) => (placementsOf(fleet).has(key) || isRefusedPlacement(fleet, key) ? 'same' : 'absent'),
    insteadIn: () => undefined,
    without(record) {
      const placements = new Map(record.placements);
      placements.delete(key);
      return { ...record, placements };
    },
  };
}

/** The file of a placement is on the branch and not valid. */
export const isRefusedPlacement = ({ refused }: Fleet, key: PlacementKey): boolean =>
  refused.some((ref) => isPlacementKind(ref.kind) && placementKey(ref) === key);

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
    isLastGood: true,
    standingIn(fleet) {
      const found = membersOf(fleet).get(name);
      return found === undefined ? 'absent' : same(writtenOf(found), writtenOf(cluster)) ? 'same' : 'replaced';
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

/** In place of a forged FleetConfig: without settings freezes would end and limits would widen. */
const frozenConfig: FleetConfig = {
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'FleetConfig',
  spec: { freeze: [{ name: 'unconfirmed-fleet-config', schedule: '* * * * *', duration: '1h' }] },
};

function configClaim(config: FleetConfig | undefined, isRecorded: boolean): Claim {
  return {
    path: 'fleet.yaml',
    isLastGood: true,
    ...(config === undefined && { lacks: isRecorded ? 'later' : 'at first' }),
    standingIn({ config: found, ...fleet }) {
      if (found === undefined) return config === undefined && !mayHideConfig(fleet) ? 'same' : 'absent';
      return config !== undefined && same(found.spec, config.spec) ? 'same' : 'replaced';
    },
    insteadIn: ({ config: found }) => found && ((record) => ({ ...record, config: found })),
    without: (record) => (config === undefined ? record : { ...record, config: frozenConfig }),
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
    standingIn: ({ overrides }) =>
      overrides.some(
        ({ kind, metadata, spec }) =>
          `${kind}Snapshot` === snapshot.kind &&
          metadata.name === name &&
          metadata.namespace === namespace &&
          same(spec, snapshot.overrideSpec),
      )
        ? 'same'
        : 'absent',
    // Another version is another snapshot: what stands on this one cannot be rendered, and stays as it is.
    insteadIn: () => undefined,
    without,
  };
}

/** Recorded labels fill variables of overrides; without them the present labels do. */
function labelsClaim(key: PlacementKey, cluster: ClusterName, labels: Readonly<Record<string, string>>): Claim {
  return {
    path: `placements/${key}/state.yaml`,
    standingIn(fleet) {
      const member = membersOf(fleet).get(cluster);
      return member !== undefined && same(labelsOf(member), labels) ? 'same' : 'absent';
    },
    insteadIn: () => undefined,
    without: (record) =>
      withBindings(record, key, (binding) => {
        if (binding.clusterLabels !== labels) return binding;
        const { clusterLabels: _, ...rest } = binding;
        return rest;
      }),
  };
}

/** The apply strategy that a run gave bindings. Without it that of the placement counts. */
function strategyClaim(key: PlacementKey, strategy: ApplyStrategy): Claim {
  return {
    path: `placements/${key}/state.yaml`,
    standingIn(fleet) {
      const found = placementsOf(fleet).get(key)?.spec.strategy.applyStrategy;
      return found !== undefined && same(found, strategy) ? 'same' : 'absent';
    },
    insteadIn: () => undefined,
    without: (record) =>
      withBindings(record, key, (binding) => {
        if (binding.applyStrategy === undefined || !same(binding.applyStrategy, strategy)) return binding;
        const { applyStrategy: _, ...rest } = binding;
        return rest;
      }),
  };
}

/** The different apply strategies of bindings. */
const strategiesIn = memoize(({ bindings }: PlacementState): readonly ApplyStrategy[] => [
  ...new Map(
    bindings.flatMap(({ applyStrategy }) => (applyStrategy ? [[canonicalJson(applyStrategy), applyStrategy]] : [])),
  ).values(),
]);

function withBindings(record: FleetRecord, key: PlacementKey, change: (binding: Binding) => Binding): FleetRecord {
  const recorded = record.placements.get(key);
  if (recorded === undefined) return record;
  const state = { ...recorded.state, bindings: recorded.state.bindings.map(change) };
  return { ...record, placements: new Map(record.placements).set(key, { ...recorded, state }) };
}

const runsOf = memoize(
  ({ runs }: Fleet): ReadonlyMap<string, StagedUpdateRun> =>
    new Map(runs.map((run) => [placementKey(run.metadata), run])),
);

const isAbsenceCertain = (fleet: Fleet, { kind, metadata }: StagedUpdateRun): boolean =>
  !absenceMeansNothing(fleet, { ...metadata, kind });

const failureAnnotations = [progressDeadlineAnnotation, maxFailuresAnnotation, onFailureAnnotation];

/** What decides when a run fails and what it does then. */
const failureOf = ({ metadata: { annotations = {} } }: StagedUpdateRun): object =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => failureAnnotations.includes(name)));

function withFailureAnnotations({ metadata }: StagedUpdateRun, file: StagedUpdateRun): StagedUpdateRun['metadata'] {
  const others = Object.entries(metadata.annotations ?? {}).filter(([name]) => !failureAnnotations.includes(name));
  return { ...metadata, annotations: { ...Object.fromEntries(others), ...failureOf(file) } };
}

/** The file of a run; update-runs.ts verifies its status. */
function runClaim(key: string, run: StagedUpdateRun): Claim {
  const withRun = (file: StagedUpdateRun) => (record: FleetRecord) => ({
    ...record,
    runs: new Map(record.runs).set(key, { ...run, metadata: withFailureAnnotations(run, file), spec: file.spec }),
  });
  const foundIn = (fleet: Fleet): StagedUpdateRun | undefined => {
    const found = runsOf(fleet).get(key);
    return found?.kind === run.kind ? found : undefined;
  };
  return {
    path: `runs/${key}.yaml`,
    isLastGood: true,
    endsWhenAbsent: true,
    standingIn(fleet) {
      const found = foundIn(fleet);
      if (found === undefined) return isAbsenceCertain(fleet, run) ? 'absent' : 'kept';
      const isSame = sameRun(found, run) && stateOf(found) === stateOf(run) && same(failureOf(found), failureOf(run));
      return isSame ? 'same' : changed(run, found);
    },
    insteadIn(fleet) {
      const found = foundIn(fleet);
      return found && withRun(found);
    },
    without(record) {
      const runs = new Map(record.runs);
      runs.delete(key);
      return { ...record, runs };
    },
  };
}
