/** Limits for files of users. */
export interface Limits {
  /** Of a file. */
  readonly maxBytes: number;
  /** Of one object. */
  readonly maxObjectBytes: number;
  readonly maxDocuments: number;
  readonly maxDepth: number;
  /** Parser tokens of one document. */
  readonly maxTokens: number;
  /** Of one file that are reported: each is a line in the log and the dashboard. */
  readonly maxFindings: number;
}

/**
 * Kubernetes accepts objects of up to 1.5 MiB, so a larger one is a mistake. The size of a file is limited by the memory for parsing
 * it; the largest bundles of CRDs and the members of a large fleet fit. 100 levels are many times the depth of Kubernetes' own
 * schemas. A document is parsed as a whole, with 260 to 670 bytes per token (measured): a file full of small Deployments in one List
 * has 1.7 million tokens.
 */
export const usualLimits: Limits = {
  maxBytes: 4 * 1024 * 1024,
  maxObjectBytes: 1536 * 1024,
  maxDocuments: 20_000,
  maxDepth: 100,
  maxTokens: 2_000_000,
  maxFindings: 100,
};
