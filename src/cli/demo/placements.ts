import { placementKey } from '../../api/placement.ts';
import { conditionIs, findCondition, isFulfilled } from '../../engine/kernel/condition.ts';
import type { Plan, PlannedBinding, PlannedPlacement } from '../../engine/plan-document.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../terminal/cause.ts';
import type { Told } from './told.ts';

/** What placements decide, and how they move on their clusters. */
export function aboutPlacements(before: Plan | undefined, next: Plan): Told[] {
  const was = new Map(before?.placements.map((placement) => [placementKey(placement), placement]));
  return next.placements.flatMap((placement) => aboutPlacement(was.get(placementKey(placement)), placement));
}

function aboutPlacement(before: PlannedPlacement | undefined, next: PlannedPlacement): Told[] {
  const told: Told[] = [];
  const subject = titleOf(next);
  const picked = next.decisions.filter((decision) => decision.selected);
  const knew = new Set(
    before?.decisions.filter((decision) => decision.selected).map((decision) => decision.clusterName),
  );
  const fresh = picked.filter((decision) => !knew.has(decision.clusterName));
  if (fresh.length > 0) {
    const names = fresh.map(({ clusterName, clusterScore }) => {
      const scored = clusterScore && (clusterScore.affinityScore !== 0 || clusterScore.topologySpreadScore !== 0);
      return scored
        ? `${clusterName} (affinity ${clusterScore.affinityScore}, spread ${clusterScore.topologySpreadScore})`
        : clusterName;
    });
    told.push({ tone: 'decided', subject, text: `picked ${names.join(', ')}` });
  }
  const gone = [...knew].filter((name) => !picked.some((decision) => decision.clusterName === name));
  if (gone.length > 0) told.push({ tone: 'decided', subject, text: `no longer picks ${gone.join(', ')}` });
  if (next.resourceSnapshotIndex !== undefined && next.resourceSnapshotIndex !== before?.resourceSnapshotIndex) {
    told.push({ tone: 'decided', subject, text: `snapshot ${next.resourceSnapshotIndex} of its resources` });
  }
  for (const binding of next.bindings) {
    const old = before && formerOf(binding, before);
    for (const line of aboutBinding(old, binding)) told.push({ ...line, subject });
  }
  return told;
}

/** A cluster that was evicted and picked anew has two bindings for a while, one of which leaves. */
function formerOf({ clusterName, move }: PlannedBinding, { bindings }: PlannedPlacement): PlannedBinding | undefined {
  const there = bindings.filter((candidate) => candidate.clusterName === clusterName);
  return there.find((candidate) => (candidate.move === 'remove') === (move === 'remove')) ?? there[0];
}

function aboutBinding(before: PlannedBinding | undefined, next: PlannedBinding): Omit<Told, 'subject'>[] {
  const at = next.clusterName;
  const index = next.resourceSnapshotIndex;
  const moves = next.move !== before?.move || index !== before?.resourceSnapshotIndex;
  const failing = whatFails(next);
  // A move that fails at once is told with its failure: no later plan would tell that as new.
  const failure: Omit<Told, 'subject'>[] =
    failing !== undefined && failing !== (before && whatFails(before))
      ? [{ tone: 'bad', text: `✗ ${at}: ${failing}` }]
      : [];
  if (moves) {
    const moving = (text: string): Omit<Told, 'subject'>[] => [
      { tone: 'moving', text: `→ ${at}: ${text}` },
      ...failure,
    ];
    if (next.move === 'add') return moving(`installing snapshot ${index}`);
    if (next.move === 'update') return moving(`updating to snapshot ${index}`);
    if (next.move === 'remove') return moving('removing');
  }
  // What is only compared is no more available than it was; how it differs has a line of its own.
  const compared = conditionIs(next.conditions, 'DiffReported', 'True');
  const available = isFulfilled(next.conditions);
  const wasAvailable = before !== undefined && isFulfilled(before.conditions);
  if (available && (!wasAvailable || index !== before.resourceSnapshotIndex))
    return [{ tone: 'good', text: `✓ ${at}: snapshot ${index} is ${compared ? 'compared' : 'available'}` }];
  return failure;
}

/** Why a cluster cannot be given what it is to have: reason and cause. */
function whatFails({ conditions }: PlannedBinding): string | undefined {
  for (const type of ['Overridden', 'WorkSynchronized', 'Applied']) {
    const found = findCondition(conditions, type);
    if (found?.status === 'False' && found.reason !== 'ApplyInProgress') return causeOf(found);
  }
  return undefined;
}
