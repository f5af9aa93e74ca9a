import type { Rule } from './rule.ts';

/**
 * KubeFleet sameplacementaffinity: one copy per cluster. A cluster with a copy is selected, so that no decision has this reason. The
 * point for a binding of an older policy counts after all scores, so picking adds it (pick/ranking.ts).
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
