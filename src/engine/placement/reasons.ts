/**
 * Reasons of decisions; rules have their own. Types and order are KubeFleet's, and the texts resemble KubeFleet's. No text depends
 * on the present time.
 */
export const reasons = {
  picked: (clusterName: string, affinity: number, spread: number): string =>
    reasons.pickedWith(clusterName) + reasons.scores(affinity, spread),
  /** Followed by the scores. */
  pickedWith: (clusterName: string): string => `picked by scheduling policy: cluster "${clusterName}" `,
  /** For a binding written by hand, without its decision. */
  pickedUnscored: (clusterName: string): string =>
    `picked by scheduling policy: cluster "${clusterName}" (no score on record)`,
  pickedByName: (clusterName: string): string => `picked by scheduling policy: cluster "${clusterName}" is named in it`,
  /** Followed by the scores. */
  outscoredBy: (clusterName: string): string => `cluster "${clusterName}" does not score high enough `,
  scores: (affinity: number, spread: number): string =>
    `(affinity score: ${affinity}, topology spread score: ${spread})`,
  filtered: (texts: readonly string[]): string => `ClusterUnschedulable, ${texts.join('; ')}`,
  notFound: (clusterName: string): string => `cluster "${clusterName}" is not found in the fleet`,
  notEligible: (clusterName: string, why: string): string =>
    `cluster "${clusterName}" is not eligible for resource placement yet: ${why}`,

  fulfilled: (found: number): string =>
    `found all clusters needed as specified by the scheduling policy, found ${found} cluster(s)`,
  unfulfilled: (found: number): string =>
    `could not find all clusters needed as specified by the scheduling policy, found ${found} cluster(s) instead`,
};
