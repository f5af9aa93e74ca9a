import type { Member } from '../members.ts';
import type { Rule } from './rule.ts';

/** Whether a member may get new placements. Decided once per member, since it does not depend on the policy. */
export const clusterEligibility: Rule = {
  name: 'ClusterEligibility',
  facets: () => [{ kind: 'eligibility', textOf: (member) => reasonsOf(member).join() }],
  filter: (_, { eligible, members }) => ({
    mask: eligible,
    reasons: (row) => reasonsOf(members[row]!),
    variant: () => 0,
  }),
};

const reasonsOf = ({ eligibility }: Member): string[] => (eligibility.eligible ? [] : [eligibility.reason]);
