import { hasRow } from '../compiled/bits.ts';
import type { Rule } from './rule.ts';

/** The list of PickFixed, as `explain` shows it. KubeFleet has no plugin for it. */
export const clusterNames: Rule = {
  name: 'ClusterNames',
  facets: () => [],
  filter({ spec }, index) {
    const listed = new Set(spec.policy.clusterNames);
    const mask = index.rowsWhere(({ name }) => listed.has(name));
    return { mask, reasons: (row) => (hasRow(mask, row) ? [] : ['cluster is not named in the policy']) };
  },
};
