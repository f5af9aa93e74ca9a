import type { Binding } from '../../api/placement-state.ts';
import type { Problem } from '../../api/problem.ts';
import { memoize } from '../kernel/memoize.ts';
import { asLastScheduled } from '../placement/last-scheduled.ts';
import { isChanged } from '../placement/members.ts';
import { schedule } from '../placement/schedule.ts';
import type { BindingStep, PlacementWork } from '../placement-work.ts';
import { sourceOf } from '../problem-of.ts';
import { heldTwice } from '../selection/duplicates.ts';
import type { World } from '../world.ts';

/** Clusters, decisions and the Scheduled condition, as KubeFleet's scheduler sets them. */
export function schedulePlacement(before: PlacementWork, world: World): PlacementWork {
  const work = { ...before, problems: [...before.problems, ...selectionProblems(before, world)] };
  const placement = work.selection.ok ? work.placement : asLastScheduled(work.placement, work.policySnapshots);
  if (placement === undefined) return work;
  const stepOf = new Map<Binding, BindingStep>(work.bindings.map((step) => [step.binding, step]));
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
    bindings: outcome.bindings.map((binding) => stepOf.get(binding) ?? { binding, move: 'keep' }),
    decisions: outcome.decisions,
    scheduled: outcome.scheduled,
    wakes: [...work.wakes, ...outcome.wakes],
  };
}

const membersChanged = memoize(({ members, record }: World) =>
  [...members.values()].some((member) => isChanged(member, record)),
);

function selectionProblems({ placement: { kind, metadata }, selection }: PlacementWork, world: World): Problem[] {
  const source = sourceOf(world.input.fleet, { kind, ...metadata });
  const path = 'spec.resourceSelectors';
  if (!selection.ok) {
    const { message, selector } = selection;
    const wrong = { ...source, path: selector === undefined ? path : `${path}.${selector}`, message };
    return [{ severity: 'error', code: 'invalid-resource-selectors', ...wrong }];
  }
  const fix = 'keep one of them';
  return heldTwice(selection.manifests).map(
    (message): Problem => ({ severity: 'warning', code: 'duplicate-object', ...source, path, message, fix }),
  );
}
