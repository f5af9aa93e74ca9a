import { removalName } from '../../engine/gate/removal-approval.ts';
import type { Plan } from '../../engine/plan-document.ts';

/** A removal that an approval can allow: of a plan that the guard refused, or of a hold. */
export interface RemovalToApprove {
  /** Name of the RemovalApproval, and of its branch below `gitfleet/approve/`. */
  readonly name: string;
  readonly removalDigest: string;
  /** Why the removal is refused or held, one sentence each. */
  readonly messages: readonly string[];
}

/** The removals that can be approved, one for each digest. */
export function removalsToApprove(plan: Pick<Plan, 'guard' | 'holds'>): RemovalToApprove[] {
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

/** The approval file. */
export const removalApprovalObject = ({ name, removalDigest }: RemovalToApprove): object => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'RemovalApproval',
  metadata: { name },
  spec: { removalDigest },
});
