import { isFulfilled } from '../engine/kernel/condition.ts';
import type { GroupedHold, Hold, Plan, PlannedPlacement } from '../engine/plan-document.ts';
import { titleOf } from '../repo/title-of.ts';
import type { EventSource } from './event-source.ts';
import { clustersOf, groupHolds, listedHolds } from './grouped-holds.ts';
import { type Held, heldSentences, newlyHeld } from './held.ts';
import { meaningOf } from './hold-reasons.ts';
import { holdsOf } from './holds-of.ts';
import { wholeSeconds } from './whole-seconds.ts';

/** Something starts to wait. `stuck`: a rollout that no step of its own lets continue. `held`: as a status commit tells it. */
type HoldEvent =
  | { readonly kind: 'waiting' | 'stuck'; readonly hold: GroupedHold }
  | { readonly kind: 'held'; readonly held: Held };

export const holds: EventSource<HoldEvent> = {
  events(change) {
    const { plan, earlier } = change;
    const known = new Set(earlier?.holds.map(keyOf));
    const waiting = plan.holds.filter((hold) => meaningOf(hold).isEvent && !known.has(keyOf(hold)));
    const wasStuck = new Set(earlier ? stuckRollouts(earlier).map(lineOf) : []);
    const stuck = stuckRollouts(plan).filter((hold) => !wasStuck.has(lineOf(hold)));
    return [
      ...stuck.map((hold): HoldEvent => ({ kind: 'stuck', hold })),
      // What ends by itself comes before what someone has to do then.
      ...groupHolds(waiting)
        .sort((a, b) => Number(b.until !== undefined) - Number(a.until !== undefined))
        .map((hold): HoldEvent => ({ kind: 'waiting', hold })),
      ...newlyHeld(change).map((held): HoldEvent => ({ kind: 'held', held })),
    ];
  },
  isNews: ({ kind }) => kind === 'held',
  sentences: (events) => heldSentences(events.flatMap((event) => (event.kind === 'held' ? [event.held] : []))),
  entries: (event) => {
    if (event.kind === 'held') return [];
    const { kind, hold } = event;
    return [
      {
        tone: 'waiting',
        subject: titleOf(hold.subject),
        text: textOf(hold),
        ...(kind === 'waiting' && hold.until !== undefined && { until: hold.until }),
      },
    ];
  },
};

const lineOf = (hold: GroupedHold): string => `${titleOf(hold.subject)} ${textOf(hold)}`;

const keyOf = ({ reason, message }: Hold): string => `${reason} ${message}`;

/** The line names its subject already. */
function textOf(hold: GroupedHold): string {
  const who = clustersOf(hold);
  const message = wholeSeconds(hold.message.replace(new RegExp(`^run ${hold.subject.name}:? `), ''));
  return who === '' ? message : `${who}: ${message}`;
}

/**
 * Holds of rollouts that wait although nothing moves and everything else is well: no step of their own lets them continue. What
 * waits for other clusters is not stuck.
 */
function stuckRollouts(plan: Plan): readonly GroupedHold[] {
  const stuck = plan.placements.filter(isStuck);
  if (stuck.length === 0) return [];
  const waits = listedHolds(plan).filter(({ reason }) => reason === 'RolloutBudget');
  return stuck.flatMap((placement) => holdsOf(placement, waits));
}

const isStuck = ({ bindings }: PlannedPlacement): boolean =>
  bindings.some(({ move }) => move === 'wait') &&
  bindings.every(({ move, conditions }) => move === 'wait' || (move === 'keep' && isFulfilled(conditions)));
