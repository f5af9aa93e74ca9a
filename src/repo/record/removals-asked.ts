import { removalName } from '../../engine/gate/removal-approval.ts';
import type { Plan } from '../../engine/plan-document.ts';

/** Removals that a person may allow: of a plan that the guard refused, or a single one that is held. */
export interface RemovalAsked {
  /** Of the RemovalApproval, and of its branch below `gitfleet/approve/`. */
  readonly name: string;
  readonly removalDigest: string;
  /** What is to be removed and why it is not, one sentence each. */
  readonly messages: readonly string[];
}

/** Whatever a RemovalApproval ends, one for each digest. */
export function removalsAsked(plan: Pick<Plan, 'guard' | 'holds'>): RemovalAsked[] {
  const reasons = new Map<string, string[]>();
  for (const { removalDigest, message } of [...plan.guard, ...plan.holds]) {
    if (removalDigest === undefined) continue;
    reasons.set(removalDigest, [...(reasons.get(removalDigest) ?? []), message]);
  }
  return [...reasons].map(([removalDigest, messages]) => ({
    name: removalName(removalDigest),
    removalDigest,
    messages,
  }));
}

/** The file that says yes. */
export const removalApprovalObject = ({ name, removalDigest }: RemovalAsked): object => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'RemovalApproval',
  metadata: { name },
  spec: { removalDigest },
});
