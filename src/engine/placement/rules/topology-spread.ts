import type { TopologySpreadConstraint } from '../../../api/placement.ts';
import { addRow, noRows } from '../compiled/bits.ts';
import { labelFacet } from '../compiled/facets.ts';
import type { Rule } from './rule.ts';
import { isHard, isSpread } from './spread.ts';

/** KubeFleet topologyspreadconstraints: what it forbids changes with every pick, so picking uses spread.ts directly. */
export const topologySpread: Rule = {
  name: 'TopologySpreadConstraints',
  facets: ({ spec }) => (spec.policy.topologySpreadConstraints ?? []).map(({ topologyKey }) => labelFacet(topologyKey)),
  filter: ({ spec }, { size }) =>
    isSpread(spec.policy)
      ? {
          refused(rows, { spread }) {
            const refused = noRows(size);
            if (spread)
              for (const row of rows) if (spread.forbidden[spread.groups.groupOf[row]!] === 1) addRow(refused, row);
            return refused;
          },
          reasons: (row, { spread }) =>
            (spread?.constraints ?? []).flatMap((constraint, at) => {
              const domain = spread!.groups.columns[at]!.codes[row]!;
              return isHard(constraint) && spread!.violations[at]![domain] === 1 ? [reasonFor(constraint)] : [];
            }),
        }
      : undefined,
};

const reasonFor = ({ topologyKey, maxSkew }: TopologySpreadConstraint): string =>
  `violated doNotSchedule topology spread constraint "${topologyKey}" (max skew ${maxSkew})`;
