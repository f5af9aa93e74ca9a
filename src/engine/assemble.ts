import type { ClusterName, PlacementKey, Timestamp } from '../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../api/placement.ts';
import type { Problem } from '../api/problem.ts';
import { deliveryProblems } from './delivery/delivery-problems.ts';
import type { Outcome } from './delivery/placement-outcome.ts';
import { removalHolds } from './delivery/removal-holds.ts';
import { stuckRemovals } from './delivery/stuck-removals.ts';
import { unknownContentHolds } from './delivery/unknown-contents.ts';
import type { EvictOutcome } from './evict/evict.ts';
import { canonicalJson } from './kernel/canonical-json.ts';
import { parseInstant } from './kernel/instant.ts';
import { by, sortKey } from './kernel/ordering.ts';
import type { Hold, Plan, PlannedApproval, PlannedRun, Target } from './plan-document.ts';
import { type ClusterDocuments, clusterDocuments } from './record/cluster-documents.ts';
import { recordOf } from './record/plan-record.ts';
import { type SortedTargets, sortTargets } from './sort-targets.ts';
import { type RunsOutcome, runsWithoutPlacement } from './staged/placement-runs.ts';
import type { World } from './world.ts';

export interface Assembly {
  readonly world: World;
  readonly outcomes: readonly Outcome[];
  /** Of placements whose file is gone, until their objects are. */
  readonly deleted: readonly Outcome[];
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
  readonly evictions: EvictOutcome;
  /** Of an earlier plan. */
  readonly earlier: Parts | undefined;
}

/** What of a plan need not be made again when the next is put together. */
export interface Parts {
  readonly targets: SortedTargets;
  readonly clusters: ClusterDocuments;
}

/** The plan document: every list sorted, every absent field left out. */
export function assemble(assembly: Assembly): { readonly plan: Plan; readonly parts: Parts } {
  const { world, outcomes, deleted, earlier } = assembly;
  const { commit, now, digest } = world.input;
  const all = [...outcomes, ...deleted];
  const orphans = runsWithoutPlacement(world);
  const targetOf = targetReader(all);
  const stuck = stuckRemovals({ ...world.input, works: all.map(({ work }) => work), targetOf });
  const holds = holdsOf(assembly, [...removalHolds(world.input, targetOf), ...stuck.holds, ...orphans.holds]);
  const wakeAt = earliest(wakesOf(assembly, [...stuck.wakes, ...holds.flatMap(({ until }) => until ?? [])]), now);
  const targets = sortTargets(
    all.map((outcome) => outcome.targets),
    earlier?.targets,
  );
  const clusters = clusterDocuments(world, earlier?.clusters);
  const lists = { holds, ...requestsOf(assembly, orphans.runs), upgrades: [], nodes: [] };
  const digests = all.map((outcome) => `${placementKey(refOf(outcome.work.placement))} ${outcome.digest}`);
  const plan: Plan = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Plan',
    commit,
    now,
    digest: `sha256:${digest(canonicalJson({ commit, digests, ...lists }))}`,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    placements: outcomes.flatMap(({ planned }) => planned ?? []),
    targets: targets.sorted,
    ...lists,
    guard: [],
    problems: problemsOf(assembly).map(inOrder),
    record: recordOf(assembly, orphans, clusters),
  };
  return { plan, parts: { targets, clusters } };
}

function holdsOf({ world, outcomes, deleted, runs, evictions }: Assembly, others: readonly Hold[]): readonly Hold[] {
  return sortedHolds([
    ...world.holds,
    ...notActedOn(world),
    ...unknownContentHolds(
      outcomes.map(({ work }) => work),
      world.input.fleet,
    ),
    ...[...outcomes, ...deleted].flatMap(({ work }) => work.holds),
    ...[...runs.values()].flatMap((advanced) => advanced.holds),
    ...evictions.holds,
    ...others,
  ]);
}

const wakesOf = ({ outcomes, runs }: Assembly, others: readonly Timestamp[]): readonly Timestamp[] => [
  ...outcomes.flatMap(({ work }) => work.wakes),
  ...[...runs.values()].flatMap(({ wakes }) => wakes),
  ...others,
];

/** What people asked for in files of their own, and what is asked of them. */
function requestsOf({ runs, evictions }: Assembly, orphans: readonly PlannedRun[]) {
  const advanced = [...runs.values()];
  return {
    runs: [...advanced.flatMap((outcome) => outcome.runs), ...orphans].sort(by(keyOf)),
    approvals: advanced.flatMap(({ approvals }) => approvals).sort(by(keyOf)),
    evictions: evictions.evictions,
  };
}

const keyOf = (request: PlannedRun | PlannedApproval): string => `${request.kind}/${placementKey(request)}`;

const problemsOf = ({ world, outcomes, runs, evictions }: Assembly): readonly Problem[] => [
  ...world.input.fleet.problems,
  ...world.admitted.problems,
  ...outcomes.flatMap(({ work }) => [
    ...work.problems,
    ...deliveryProblems(work, { fleet: world.input.fleet, overrides: world.overrides }),
  ]),
  ...[...runs.values()].flatMap(({ problems }) => problems),
  ...evictions.problems,
];

/** Few are asked for, of plans that have a million. */
function targetReader(outcomes: readonly Outcome[]) {
  return (cluster: ClusterName, placement: PlacementRef): Target | undefined => {
    const key = placementKey(placement);
    return outcomes
      .find(({ work }) => placementKey(refOf(work.placement)) === key)
      ?.targets.find(({ clusterName }) => clusterName === cluster);
  };
}

/** Fields as the document lists them, whoever found the problem. */
function inOrder({ severity, code, file, line, inside, column, path, value, message, fix }: Problem): Problem {
  return {
    severity,
    code,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(inside === undefined ? {} : { inside }),
    ...(column === undefined ? {} : { column }),
    ...(path === undefined ? {} : { path }),
    ...(value === undefined ? {} : { value }),
    message,
    ...(fix === undefined ? {} : { fix }),
  };
}

function notActedOn(world: World): Hold[] {
  return world.input.fleet.notActedOn.map(({ apiVersion, kind, name, namespace }) => ({
    subject: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    reason: 'NotActedOnYet',
    message: `${kind} ${name} (${apiVersion}) is valid, but this version of gitfleet does not act on it yet`,
  }));
}

const sortedHolds = (holds: readonly Hold[]): Hold[] => {
  const seen = new Map(holds.map((hold) => [canonicalJson(hold), hold]));
  return [...seen.values()].sort(
    by(({ subject, reason }) =>
      sortKey(
        subject.kind,
        subject.namespace ?? '',
        subject.name,
        subject.stage ?? '',
        subject.clusterName ?? '',
        reason,
      ),
    ),
  );
};

/** Wakes in the past have had their effect; the earliest to come counts. */
function earliest(wakes: readonly Timestamp[], now: Timestamp): Timestamp | undefined {
  const present = parseInstant(now) ?? 0;
  let best: { readonly at: number; readonly text: Timestamp } | undefined;
  for (const text of wakes) {
    const at = parseInstant(text);
    if (at !== undefined && at >= present && (best === undefined || at < best.at)) best = { at, text };
  }
  return best?.text;
}
