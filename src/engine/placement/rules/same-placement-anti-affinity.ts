import type { Rule } from './rule.ts';

/**
 * KubeFleet sameplacementaffinity: one copy a cluster. A cluster that has one is selected, so that no decision gives this as its
 * reason. The point for a binding of an older policy comes after all scores, so that picking adds it (pick/ranking.ts).
 */
export const samePlacementAntiAffinity: Rule = {
  name: 'SamePlacementAntiAffinity',
  facets: () => [],
  filter: () => ({
    reasons: () => [],
    explain: (row, { live }) => ({ reasons: live?.has(row) ? ['the placement is on this cluster already'] : [] }),
    variant: () => 0,
  }),
};
