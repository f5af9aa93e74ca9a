import type { Approver } from '../../api/approver.ts';
import type { ApprovedRemoval } from '../../api/gitfleet.ts';
import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { askForeign, containsForeign, stillToGo } from '../bindings/foreign-objects.ts';
import { recordedApprover } from '../gate/approver.ts';
import { earlyRemovalApprovals, hexOf, isRemovalApproved, unusedRemovalApprovals } from '../gate/removal-approval.ts';
import { type Fleet, type PlanInput, sourceKey } from '../input.ts';
import { by } from '../kernel/ordering.ts';
import type { AllowedRemoval, PlacementTarget, Plan } from '../plan-document.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import { placementTargets } from '../target-kinds.ts';
import { isOver } from '../update-run.ts';
import type { World } from '../world.ts';
import { isRefused, withUnremoved } from './removal-holds.ts';

type UnderWay = NonNullable<ApprovedRemoval['status']['underWay']>;

/**
 * A plan that remembers the approvals of the removals that it starts: each allows one removal. Until that is done it stays under way,
 * so that the approval counts for all of its steps. An approval that is no longer in the repo is forgotten.
 * @param allowed What the guard requires for the removals of the plan.
 */
export function withApprovedRemovals(plan: Plan, allowed: AllowedRemoval | undefined, world: World): Plan {
  const { input } = world;
  const { fleet, record } = input;
  // Of nearly all plans.
  if (fleet.removalApprovals.length === 0 && record.removals.size === 0) return plan;
  const foreign = foreignRemovals(plan, input);
  const inProgress = new Map(foreign.inProgress);
  if (allowed?.isGiven)
    inProgress.set(
      allowed.digest,
      [...allowed.dropping].map(([placement, run]) => ({ placement, ...(run !== undefined && { run }) })),
    );
  const removals = approvedAfter(inProgress, plan, world);
  const required = new Set([...(allowed ? [allowed.digest, ...allowed.early] : []), ...foreign.required]);
  const guarded = allowed ? earlyRemovalApprovals({ ...allowed, approved: allowed.isGiven }, fleet) : [];
  const used = [...removals.values()].map(({ spec }) => spec.removalDigest);
  const documents = [...removals].map(([name, value]) => ({ name, document: objectDocument(value) }));
  return {
    ...plan,
    problems: [
      ...plan.problems,
      ...foreign.problems,
      ...guarded,
      ...unusedRemovalApprovals(new Set([...required, ...used]), input),
    ],
    record: new Map([...plan.record, ...directoryOf('removals', documents, input.digest)].sort(by(([path]) => path))),
  };
}

/** All that are remembered after the plan. */
function approvedAfter(
  inProgress: ReadonlyMap<string, UnderWay>,
  plan: Plan,
  world: World,
): ReadonlyMap<string, ApprovedRemoval> {
  const { fleet, record } = world.input;
  const mayBeUnread = fleet.unreadable.length > 0 || fleet.refused.some(({ kind }) => kind === 'RemovalApproval');
  const kept = [...record.removals].filter(
    ([, { spec }]) => mayBeUnread || isRemovalApproved(spec.removalDigest, fleet),
  );
  const removals = new Map(
    kept.map(([name, { status, ...rest }]): [string, ApprovedRemoval] => {
      const { underWay = [], ...used } = status;
      const isOpen = (it: UnderWay[number]): boolean =>
        it.clusterName === undefined
          ? isRollingOut(it, plan, world)
          : inProgress.has(rest.spec.removalDigest) || mayRemain(it.clusterName, it.placement, world);
      return [name, { ...rest, status: { ...used, ...openOf(underWay.filter(isOpen)) } }];
    }),
  );
  for (const [removalDigest, started] of inProgress) {
    if (removals.get(hexOf(removalDigest))?.status.underWay !== undefined) continue;
    const underWay = started.filter((it) => it.clusterName !== undefined || isRollingOut(it, plan, world));
    removals.set(hexOf(removalDigest), {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ApprovedRemoval',
      metadata: { name: hexOf(removalDigest) },
      spec: { removalDigest },
      status: { commit: plan.commit, at: plan.now, ...approvedBy(removalDigest, fleet), ...openOf(underWay) },
    });
  }
  return removals;
}

/** Who brought the approval, where that is known. */
function approvedBy(digest: string, { removalApprovals, approvers }: Fleet): { readonly approvedBy?: Approver } {
  const file = removalApprovals.find(({ spec }) => spec.removalDigest === digest);
  const approver = file && approvers?.get(sourceKey(file.kind, file.metadata));
  return approver === undefined ? {} : { approvedBy: recordedApprover(approver) };
}

const openOf = (underWay: UnderWay): Pick<ApprovedRemoval['status'], 'underWay'> =>
  underWay.length === 0 ? {} : { underWay };

/** Approved removals of objects with contents of others, as members report them. */
function foreignRemovals(
  plan: Plan,
  input: PlanInput,
): {
  readonly inProgress: ReadonlyMap<string, UnderWay>;
  /** Digests of approvals that count, or would if they were not early. */
  readonly required: readonly string[];
  readonly problems: readonly Problem[];
} {
  const required: string[] = [];
  const inProgress = new Map<string, UnderWay>();
  const problems: Problem[] = [];
  for (const [clusterName, { placements }] of input.observations ?? [])
    for (const { placement, results } of withUnremoved(placements)) {
      const of = targetOf(plan, clusterName, placement) ?? { clusterName, placement, objects: [] };
      const foreign = stillToGo(results.filter(containsForeign), of);
      if (foreign.length === 0) continue;
      const asked = askForeign({ clusterName, placement, foreign }, input);
      problems.push(...earlyRemovalApprovals(asked, input.fleet));
      required.push(asked.digest, ...asked.early);
      if (asked.approved) inProgress.set(asked.digest, [{ placement: placementKey(placement), clusterName }]);
    }
  return { inProgress, required, problems };
}

const targetOf = ({ targets }: Plan, cluster: ClusterName, placement: PlacementRef): PlacementTarget | undefined =>
  placementTargets(targets).find(
    (it) => it.clusterName === cluster && placementKey(it.placement) === placementKey(placement),
  );

/**
 * Whether clusters of a placement have different snapshots: then some have still to lose what others have lost. Under External only
 * until the update run is over that removes: without one they may keep them for good.
 */
function isRollingOut(
  { placement: key, run }: UnderWay[number],
  { placements, runs }: Plan,
  { input }: World,
): boolean {
  const written = input.fleet.placements.find((placement) => placementKey(refOf(placement)) === key);
  const isExternal = written?.spec.strategy.type === 'External';
  if (isExternal && !runs.some((of) => placementKey(of) === run && !isOver(of.status))) return false;
  const bindings = placements.find((placement) => placementKey(placement) === key)?.bindings ?? [];
  const indexes = bindings.flatMap(({ move, resourceSnapshotIndex }) =>
    move === 'remove' ? [] : (resourceSnapshotIndex ?? []),
  );
  return new Set(indexes).size > 1;
}

/** Whether objects may remain on a cluster that are to be removed: its actor is not done, or the member refuses. */
function mayRemain(cluster: ClusterName, key: PlacementKey, { record, observationOf, input }: World): boolean {
  const bindings = record.placements.get(key)?.state.bindings ?? [];
  if (!bindings.some(({ targetCluster }) => targetCluster === cluster)) return false;
  if (input.observations === undefined) return true;
  const seen = observationOf(cluster)?.placements.find(({ placement }) => placementKey(placement) === key);
  return seen === undefined || !seen.done || seen.results.some(isRefused);
}
