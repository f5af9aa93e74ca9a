/** How much is read of what people write. */
export interface Limits {
  /** Of a file. */
  readonly maxBytes: number;
  /** Of one object. */
  readonly maxObjectBytes: number;
  readonly maxDocuments: number;
  readonly maxDepth: number;
  /** Tokens of the parser that one document may have. */
  readonly maxTokens: number;
}

/**
 * Kubernetes takes objects of up to 1.5 MiB: one that is larger in git is a mistake. What a file may hold of them is bounded by
 * the memory that reading it takes; the largest bundles of CRDs, and the members of a large fleet in one file, fit. 100 levels
 * are as deep as Kubernetes' own schemas go, many times over. A document is read whole, and a token takes about 400 bytes
 * meanwhile (measured): a file full of small Deployments in one List has 1.7 million of them.
 */
export const usualLimits: Limits = {
  maxBytes: 4 * 1024 * 1024,
  maxObjectBytes: 1536 * 1024,
  maxDocuments: 20_000,
  maxDepth: 100,
  maxTokens: 3_000_000,
};
