import { isFulfilled } from '../../engine/kernel/condition.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { titleOf } from '../../repo/title-of.ts';
import { clustersOf, listedHolds } from '../../report/grouped-holds.ts';
import { holdsOf } from '../../report/holds-of.ts';
import type { Told } from './told.ts';

/**
 * Rollouts that wait for their turn although nothing moves and everything else is well: they go on by no step of their
 * own. What waits for clusters before it is not told, its turn comes.
 */
export function aboutStandstill(before: Plan | undefined, next: Plan): Told[] {
  const known = new Set(before && standstills(before).map(({ subject, text }) => `${subject} ${text}`));
  return standstills(next).filter(({ subject, text }) => !known.has(`${subject} ${text}`));
}

function standstills(plan: Plan): Told[] {
  const still = plan.placements.filter(standsStill);
  if (still.length === 0) return [];
  const waits = listedHolds(plan).filter(({ reason }) => reason === 'RolloutBudget');
  return still.flatMap((placement) => {
    const subject = titleOf(placement);
    return holdsOf(placement, waits).map((hold): Told => {
      const who = clustersOf(hold);
      return { tone: 'waiting', subject, text: who === '' ? hold.message : `${who}: ${hold.message}` };
    });
  });
}

const standsStill = ({ bindings }: PlannedPlacement): boolean =>
  bindings.some(({ move }) => move === 'wait') &&
  bindings.every(({ move, conditions }) => move === 'wait' || (move === 'keep' && isFulfilled(conditions)));
