import { compareVersions, parseVersion } from '../api/kubernetes-version.ts';
import type { ClusterName } from '../api/meta.ts';
import { type ClusterObservation, clusterObservation } from '../api/observation.ts';
import type { ObservedPool, ObservedVersions } from '../api/observed-versions.ts';
import type { PlanInput } from '../engine/input.ts';
import { formatInstant } from '../engine/kernel/instant.ts';
import type { Plan, UpgradeTarget } from '../engine/plan-document.ts';
import { upgradeTargets } from '../engine/target-kinds.ts';
import { providerAnnotation } from '../engine/upgrade/member-annotations.ts';
import type { Assumptions } from './assumptions.ts';

type Observations = ReadonlyMap<ClusterName, ClusterObservation>;

/**
 * Upgrade providers of a forecast: each operation is done the same time after it was first seen, also one that gitfleet did not
 * start. Nothing fails, and a member that does not respond stays as it is.
 */
export function simulatedUpgrades(
  input: PlanInput,
  {
    upgradedAfterMs,
    silent,
    joining,
  }: Pick<Assumptions, 'upgradedAfterMs' | 'joining'> & { readonly silent: ReadonlySet<ClusterName> },
) {
  let members = seenFirst(input, joining);
  /** By operation. */
  const due = new Map<string, { readonly at: number; readonly target: UpgradeTarget }>();
  const foreign = new Map([...members].filter(([, { upgrade }]) => upgrade?.phase === 'Running'));
  let foreignEnd: number | undefined;

  return {
    /** Instants at which operations will be done. */
    look({ targets }: Plan, now: number): number[] {
      const inFlight = upgradeTargets(targets).filter(({ clusterName }) => !silent.has(clusterName));
      for (const target of inFlight) {
        const { operationId } = target.upgrade;
        if (foreign.get(target.clusterName)?.upgrade?.target === operationId) foreign.delete(target.clusterName);
        if (!due.has(operationId)) due.set(operationId, { at: now + upgradedAfterMs, target });
      }
      if (foreign.size > 0) foreignEnd ??= now + upgradedAfterMs;
      return [...new Set([...due.values()].map(({ at }) => at)), ...(foreignEnd === undefined ? [] : [foreignEnd])];
    },
    /** What members run at an instant. */
    observationsAt(at: number): Observations {
      if (due.size === 0 && foreignEnd === undefined) return members;
      const now = formatInstant(at);
      const next = new Map(members);
      for (const [operationId, { at: end, target }] of due) {
        if (end <= at) due.delete(operationId);
        next.set(target.clusterName, end <= at ? done(members, target, now) : inProgress(members, target, now));
      }
      if (foreignEnd !== undefined && foreignEnd <= at) {
        for (const [name, { upgrade: _, ...rest }] of foreign) next.set(name, rest);
        foreign.clear();
        foreignEnd = undefined;
      }
      members = next;
      return members;
    },
  };
}

/**
 * Of a member without an observation nothing is known; where others were observed, it does not respond. One that joins is supposed to
 * run what the oldest member with the same upgrade provider runs.
 */
export function seenFirst(input: PlanInput, joining: Assumptions['joining'] = new Set()): Observations {
  const seen = observedFirst(input, joining);
  if (joining.size === 0) return seen;
  const byProvider = Map.groupBy(input.fleet.members, ({ metadata }) => metadata.annotations?.[providerAnnotation]);
  const supposed = [...byProvider].flatMap(([provider, members]) => {
    const names = members.map(({ metadata }) => metadata.name);
    const unseen = names.filter((name) => joining.has(name) && seen.get(name)?.versions === undefined);
    const versions = provider === undefined || unseen.length === 0 ? undefined : oldestOn(names, seen);
    return versions
      ? unseen.map((name) => [name, { ...(seen.get(name) ?? emptyObservation(name, true)), versions }] as const)
      : [];
  });
  return new Map([...seen, ...supposed]);
}

function observedFirst(
  { fleet, observations, upgradeObservations }: PlanInput,
  joining: ReadonlySet<ClusterName>,
): Observations {
  if (upgradeObservations || !observations) return upgradeObservations ?? new Map();
  return new Map(
    fleet.members.map(({ metadata: { name } }) => [
      name,
      observations.get(name) ?? emptyObservation(name, joining.has(name)),
    ]),
  );
}

/** By the version of the control plane. */
function oldestOn(members: readonly ClusterName[], seen: Observations): ObservedVersions | undefined {
  const known = members.flatMap((name) => {
    const { controlPlane, pools } = seen.get(name)?.versions ?? {};
    const version = parseVersion(controlPlane ?? '');
    return version ? [{ version, versions: { controlPlane, ...(pools && { pools }) } }] : [];
  });
  return known.sort((a, b) => compareVersions(a.version, b.version))[0]?.versions;
}

const emptyObservation = (name: ClusterName, reachable: boolean): ClusterObservation =>
  clusterObservation.parse({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'ClusterObservation',
    metadata: { name },
    reachable,
  });

/** There is always news of it, so that no progress deadline passes. */
function inProgress(members: Observations, { clusterName, upgrade }: UpgradeTarget, now: string): ClusterObservation {
  const before = members.get(clusterName) ?? emptyObservation(clusterName, true);
  return { ...before, upgrade: { ...before.upgrade, target: upgrade.operationId, phase: 'Running', since: now } };
}

function done(members: Observations, { clusterName, upgrade }: UpgradeTarget, now: string): ClusterObservation {
  const before = members.get(clusterName) ?? emptyObservation(clusterName, true);
  return {
    ...before,
    versions: upgraded(before.versions ?? {}, upgrade),
    upgrade: { ...before.upgrade, target: upgrade.operationId, phase: 'Succeeded', since: now },
  };
}

export function upgraded(
  runs: ObservedVersions,
  { controlPlane, pools: changed }: Pick<UpgradeTarget['upgrade'], 'controlPlane' | 'pools'>,
): ObservedVersions {
  const [to, from] = [parseVersion(controlPlane ?? ''), parseVersion(runs.controlPlane ?? '')];
  const moves = controlPlane !== undefined && !(to && from && compareVersions(from, to) > 0);
  const pools = runs.pools?.map((pool): ObservedPool => {
    const change = changed?.find(({ name }) => name === pool.name);
    return { ...pool, ...change };
  });
  return { ...runs, ...(moves && { controlPlane }), ...(pools && { pools }) };
}

/** Members are not asked in a forecast: what was not asked yet blocks nothing. */
export function withoutQuestions(input: PlanInput): PlanInput {
  const { observations, upgradeObservations } = input;
  return { ...input, observations: answered(observations), upgradeObservations: answered(upgradeObservations) };
}

const answered = (members: Observations | undefined): Observations | undefined =>
  members?.values().some(isUnasked)
    ? new Map([...members].map(([name, seen]) => [name, isUnasked(seen) ? { ...seen, preflight: undefined } : seen]))
    : members;

const isUnasked = ({ preflight }: ClusterObservation): boolean => preflight?.done === false;

/** Members as the status branch recorded them last, where nothing was observed: what they run is what was last seen. */
export function withRecordedVersions(input: PlanInput): PlanInput {
  if (input.observations !== undefined || input.upgradeObservations !== undefined) return input;
  const upgradeObservations = new Map(
    [...input.record.clusters].flatMap(([name, { status }]): [ClusterName, ClusterObservation][] =>
      status?.versions ? [[name, { ...emptyObservation(name, true), versions: status.versions }]] : [],
    ),
  );
  return upgradeObservations.size === 0 ? input : { ...input, upgradeObservations };
}
