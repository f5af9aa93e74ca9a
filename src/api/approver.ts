import { z } from 'zod';

/** Who brought an approval file to the followed branch, as its history shows. */
export const approver = z.strictObject({
  /** The commit that brought it. */
  commit: z.string(),
  /** Names of its author and its committer; absent where they are gitfleet's own, which a fast-forward keeps. */
  author: z.string().optional(),
  committer: z.string().optional(),
  /** User who merged its pull request; absent where git did, or the forge did not tell in time. */
  mergedBy: z.string().optional(),
  /** What the verification of its signature found; absent where commits are not verified. */
  signature: z.string().optional(),
  /** Users whose approval of its pull request stood at the forge; absent where there were none, or the forge did not tell. */
  reviewers: z.array(z.string()).optional(),
});
export type Approver = z.output<typeof approver>;
