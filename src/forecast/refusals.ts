import type { Timestamp } from '../api/meta.ts';
import { listUpTo } from '../engine/kernel/short-list.ts';
import type { GuardFinding, Hold } from '../engine/plan-document.ts';
import type { ForecastStep } from './steps.ts';

/** What the guard, or a hold for a RemovalApproval, keeps from happening, and from when to when. */
export interface Refusal {
  readonly message: string;
  /** Of a finding of the guard, which refuses the whole plan. */
  readonly rule?: GuardFinding['rule'];
  /** Of a hold, which keeps the rest going. */
  readonly subject?: Hold['subject'];
  /** Of the RemovalApproval that ends it; absent: none does. */
  readonly removalDigest?: string;
  readonly from: Timestamp;
  /** Absent: it stands at the end. */
  readonly to?: Timestamp;
  /** It ended by that approval. */
  readonly approved?: true;
}

/** Whether it is a removal that still waits for an approval at the end. */
export const isHeldRemoval = ({ rule, to }: Refusal): boolean => rule === undefined && to === undefined;

/** Placements of those, on their clusters. */
export const heldRemovals = (refusals: readonly Refusal[]): readonly Hold['subject'][] =>
  refusals.filter(isHeldRemoval).flatMap(({ subject }) => subject ?? []);

/** `needs an approval of removals on a, b` */
export const needsRemovals = (subjects: readonly Hold['subject'][]): string =>
  `needs an approval of removals on ${listUpTo(subjects.flatMap(({ clusterName }) => clusterName ?? []).sort(), mostNamed)}`;

const mostNamed = 5;

/** In order of their begin. */
export function refusalsIn(steps: readonly ForecastStep[]): Refusal[] {
  const open = new Map<string, Refusal>();
  const ended: Refusal[] = [];
  for (const { now, result } of steps) {
    const seen = new Set<string>();
    const { removalApprovals } = result.contents.world.input.fleet;
    for (const [id, found] of asked(result.plan)) {
      seen.add(id);
      if (!open.has(id)) open.set(id, { ...found, from: now });
    }
    for (const [id, refusal] of open) {
      if (seen.has(id)) continue;
      open.delete(id);
      const approved = removalApprovals.some(({ spec }) => spec.removalDigest === refusal.removalDigest);
      ended.push({ ...refusal, to: now, ...(approved && { approved }) });
    }
  }
  return [...ended, ...open.values()].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
}

function asked({ guard, holds }: { readonly guard: readonly GuardFinding[]; readonly holds: readonly Hold[] }) {
  const held = holds.flatMap(({ removalDigest, message, subject }) =>
    removalDigest === undefined ? [] : [{ removalDigest, message, subject }],
  );
  return [...guard, ...held].map((refusal): [string, Omit<Refusal, 'from'>] => [idOf(refusal), refusal]);
}

/** The text of a finding may count what changes from plan to plan. */
const idOf = ({ rule, removalDigest, message }: Omit<Refusal, 'from'>): string =>
  `${rule ?? ''} ${removalDigest ?? message}`;

/** Whether they ask for the same, whenever that is. */
export const isSameRefusal = (a: Refusal, b: Refusal): boolean => idOf(a) === idOf(b);

/** The refusal of a whole plan that ended at an instant. */
export const refusalUntil = (refusals: readonly Refusal[], at: Timestamp): Refusal | undefined =>
  refusals.find(({ rule, to }) => rule !== undefined && to === at);
