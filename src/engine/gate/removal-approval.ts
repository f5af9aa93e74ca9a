import type { RemovalApproval } from '../../api/gitfleet.ts';

/** The name of the RemovalApproval that a removal requires, and of its branch. Short, and one per digest. */
export const removalName = (digest: string): string => `removal-${digest.replace(/^sha256:/, '').slice(0, 12)}`;

/** Whether a RemovalApproval on main names the digest. */
export const isRemovalApproved = (
  digest: string,
  { removalApprovals }: { readonly removalApprovals: readonly RemovalApproval[] },
): boolean => removalApprovals.some(({ spec }) => spec.removalDigest === digest);
