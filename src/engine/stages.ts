import type { ClusterName } from '../api/meta.ts';
import { refOf } from '../api/placement.ts';
import type { Binding } from '../api/placement-state.ts';
import type { Problem } from '../api/problem.ts';
import { filledAsShown, movedAsShown } from './bindings/present-bindings.ts';
import { isInherited } from './bindings/successor.ts';
import { budgetInForce } from './evict/budget.ts';
import { onceFor } from './kernel/once-for.ts';
import { compiledIds, compileOverrides, matchCompiled } from './overrides/match.ts';
import { idsOf, type OverrideLists } from './overrides/snapshot-id.ts';
import { differsByTrigger } from './overrides/trigger.ts';
import { lastGoodLost, placementPause } from './pause/placement-pause.ts';
import { asLastScheduled } from './placement/last-scheduled.ts';
import { isChanged } from './placement/members.ts';
import { schedule } from './placement/schedule.ts';
import type { BindingStep, PlacementWork } from './placement-work.ts';
import { sourceOf } from './problem-of.ts';
import { rollOut } from './rollout/roll-out.ts';
import { snapshotsInUse } from './rollout/snapshots-in-use.ts';
import { heldTwice } from './selection/duplicates.ts';
import { latestOf, takeSnapshot } from './selection/snapshot.ts';
import { inFleet, type World } from './world.ts';

/** Clusters, decisions and the Scheduled condition: what KubeFleet's scheduler would leave behind. */
export function schedulePlacement(begun: PlacementWork, world: World): PlacementWork {
  const work = { ...begun, problems: [...begun.problems, ...selectionProblems(begun, world)] };
  const placement = work.selection.ok ? work.placement : asLastScheduled(work.placement, work.policySnapshots);
  if (placement === undefined) return work;
  const moveOf = new Map<Binding, BindingStep['move']>(work.bindings.map(({ binding, move }) => [binding, move]));
  const outcome = schedule({
    placement,
    state: { policySnapshots: work.policySnapshots, bindings: work.bindings.map(({ binding }) => binding) },
    index: world.index,
    now: world.input.now,
    digest: world.input.digest,
    membersChanged: () => membersChanged(world),
  });
  return {
    ...work,
    policySnapshots: outcome.policySnapshots,
    bindings: outcome.bindings.map((binding) => ({ binding, move: moveOf.get(binding) ?? 'keep' })),
    decisions: outcome.decisions,
    scheduled: outcome.scheduled,
    wakes: [...work.wakes, ...outcome.wakes],
  };
}

const membersChanged = onceFor(({ members, record }: World) =>
  [...members.values()].some((member) => isChanged(member, record)),
);

function selectionProblems({ placement: { kind, metadata }, selection }: PlacementWork, world: World): Problem[] {
  const source = sourceOf(world.input.fleet, { kind, ...metadata });
  const path = 'spec.resourceSelectors';
  if (!selection.ok) {
    const { message, selector } = selection;
    const wrong = { ...source, path: `${path}.${selector}`, message };
    return [{ severity: 'error', code: 'invalid-resource-selectors', ...wrong }];
  }
  const fix = 'keep one of them';
  return heldTwice(selection.manifests).map(
    (message): Problem => ({ severity: 'warning', code: 'duplicate-object', ...source, path, message, fix }),
  );
}

/**
 * Makes what the repo selects the latest snapshot. A user error leaves everything as it is, and so does a file that stands for
 * what nobody knows.
 */
export function snapshotResources(work: PlacementWork, world: World): PlacementWork {
  if (!work.selection.ok || lastGoodLost(work, world.input.fleet)) return work;
  const taken = takeSnapshot({
    resourceSnapshots: work.resourceSnapshots,
    contents: work.contents,
    selection: work.selection,
    commit: world.input.commit,
    now: world.input.now,
    limit: work.placement.spec.revisionHistoryLimit,
    inUse: () => snapshotsInUse(work, world),
    digest: world.input.digest,
  });
  return { ...work, resourceSnapshots: taken.resourceSnapshots, contents: taken.contents };
}

/** What an update run that begins takes, with the overrides that it freezes. */
export const snapshotForRun = (work: PlacementWork, world: World): PlacementWork =>
  work.selection.ok ? withOverrideIds(snapshotResources(work, world), world) : work;

/** What a rollback to an index must use again: the override snapshots last used with it (docs/compatibility.md). */
function withOverrideIds(work: PlacementWork, world: World): PlacementWork {
  const latest = latestOf(work.resourceSnapshots);
  if (!latest) return work;
  const ids = compiledIds(
    compileOverrides(refOf(work.placement), work.contents.get(latest.index) ?? [], world.overrides),
  );
  if (ids.join(' ') === (latest.overrides ?? []).join(' ')) return work;
  return {
    ...work,
    resourceSnapshots: work.resourceSnapshots.map((entry) => (entry === latest ? { ...entry, overrides: ids } : entry)),
  };
}

/** Override snapshots that a cluster gets with the contents of an index; `only` pins them to those of a rollback. */
export function overridesFor(
  work: PlacementWork,
  world: World,
  index: number,
  only?: readonly string[],
): (cluster: ClusterName) => OverrideLists {
  const compiled = compileOverrides(refOf(work.placement), work.contents.get(index) ?? [], world.overrides, only);
  return (cluster) => matchCompiled(compiled, { name: cluster, labels: world.members.get(cluster)?.labels ?? {} });
}

/** RollingUpdate towards the latest snapshot, as far as its budgets allow now. */
export function rollPlacement(scheduled: PlacementWork, world: World): PlacementWork {
  const work = withoutUnpickedOutside(scheduled, world);
  const latest = latestOf(work.resourceSnapshots);
  if (!latest) return work;
  const known = new Set([...(latest.overrides ?? []), ...work.bindings.flatMap(({ binding }) => idsOf(binding))]);
  const lists = overridesFor(work, world, latest.index);
  const rolled = rollOut(work, {
    now: world.input.now,
    overridesFor: lists,
    differs: (before, after) => differsByTrigger(before, after, world.overrides, known),
    pause: placementPause(work, world),
    budget: budgetInForce(refOf(work.placement), world.input.fleet),
    filled: filledAsShown(work, world),
    shown: movedAsShown(work, world),
    isInherited(leaving) {
      return isInherited(work, leaving, { index: latest.index, lists: lists(leaving.targetCluster) }, world);
    },
  });
  // What rides along with the next rollout has not been used yet.
  const rolls = rolled.bindings.some(({ move }) => move === 'add' || move === 'update');
  return rolls ? withOverrideIds(rolled, world) : rolled;
}

/** Clusters outside the fleet keep what they hold, so their bindings go without any budget being asked. */
const withoutUnpickedOutside = (work: PlacementWork, world: World): PlacementWork => ({
  ...work,
  bindings: work.bindings.filter(
    ({ binding }) => binding.state !== 'Unscheduled' || inFleet(binding.targetCluster, world),
  ),
});
