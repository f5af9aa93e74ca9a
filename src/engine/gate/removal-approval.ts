import type { RemovalApproval } from '../../api/gitfleet.ts';

/** Of the RemovalApproval that a removal asks for, and of its branch: short, and one for each digest. */
export const removalName = (digest: string): string => `removal-${digest.replace(/^sha256:/, '').slice(0, 12)}`;

/** Whether a RemovalApproval on main names the digest. */
export const isRemovalApproved = (
  digest: string,
  { removalApprovals }: { readonly removalApprovals: readonly RemovalApproval[] },
): boolean => removalApprovals.some(({ spec }) => spec.removalDigest === digest);
