import type { ScoreExplanation } from '../../engine/placement/explain/explain.ts';
import { colorsFor } from '../terminal/colors.ts';
import type { ExplainedCluster } from './clusters.ts';

/** The explanation of one cluster as text: the decision, failed filters, assumptions, and the terms of the score. */
export function explanationText({ clusterName, decision, binding, filters, score }: ExplainedCluster): string {
  const color = colorsFor(process.stdout);
  const selected = decision?.selected === true;
  // SamePlacementAntiAffinity always fails on a picked cluster: its own binding is there.
  const asked = filters.filter(({ plugin }) => !(selected && plugin === 'SamePlacementAntiAffinity'));
  const failed = asked.filter(({ passed }) => !passed);
  const seen = asked.filter(({ assumed }) => !assumed);
  return [
    `${color(selected ? 'green' : 'yellow', `${selected ? '✓' : '✗'} ${clusterName}`)}  ${decision?.reason ?? 'not in the decisions'}`,
    ...(binding ? [`binding: ${binding}`] : []),
    failed.length === 0
      ? `passes ${seen.map(({ plugin }) => plugin).join(', ')}`
      : failed
          .flatMap(({ plugin, reason, unmet = [] }) => [`${plugin}: ${reason}`, ...unmet.map((text) => `  ${text}`)])
          .join('\n    '),
    ...asked.flatMap(({ plugin, reason, assumed }) => (assumed ? [`${plugin} is not known: ${reason}`] : [])),
    ...(score ? scoreLines(score) : []),
  ].join('\n    ');
}

function scoreLines({ affinityScore, topologySpreadScore, terms, spread }: ScoreExplanation): string[] {
  return [
    `would score now: affinity ${affinityScore}, topology spread ${topologySpreadScore}`,
    ...terms.map(({ weight, labelsMatch, property, sortOrder, value, min, max, score }) => {
      const about =
        property === undefined
          ? ''
          : `, ${property} ${sortOrder?.toLowerCase()}: ${value ?? 'none'}${min === undefined ? '' : ` between ${min} and ${max}`}`;
      return `  ${signed(score)}  weight ${weight}, labels ${labelsMatch ? 'match' : 'do not match'}${about}`;
    }),
    ...spread.map(
      ({ topologyKey, whenUnsatisfiable, maxSkew, domain, count, lowest, highest, change, violated, score }) =>
        domain === undefined
          ? `  ${signed(score)}  spread over ${topologyKey}: the cluster has no such label`
          : `  ${signed(score)}  spread over ${topologyKey} (${whenUnsatisfiable}, maxSkew ${maxSkew}): ${count} in ${domain}, ${lowest} to ${highest} elsewhere, one more changes the skew by ${change}${violated ? ', which violates it' : ''}`,
    ),
  ];
}

const signed = (score: number): string => (score < 0 ? String(score) : `+${score}`).padStart(4);
