import type { ScoreExplanation } from '../../engine/placement/explain/explain.ts';
import { colorsFor } from '../terminal/colors.ts';
import type { ExplainedCluster } from './clusters.ts';

/** Explanations as text; what is assumed of every cluster is reported once, at the end. */
export function explanationsText(clusters: readonly ExplainedCluster[]): string[] {
  const [first, ...others] = clusters.map(assumptionsIn);
  const common = others.length === 0 ? [] : (first ?? []).filter((text) => others.every((of) => of.includes(text)));
  return [
    ...clusters.map((cluster) => explanationText(cluster, common)),
    ...common.map((text) => `every cluster: ${text}`),
  ];
}

const assumptionsIn = ({ decision, filters }: ExplainedCluster): string[] =>
  askedOf(filters, decision?.selected === true).flatMap(({ plugin, reason, assumed }) =>
    assumed ? [`${plugin} is not known: ${reason}`] : [],
  );

/** SamePlacementAntiAffinity always fails on a picked cluster: its own binding is there. */
const askedOf = (filters: ExplainedCluster['filters'], selected: boolean): ExplainedCluster['filters'] =>
  filters.filter(({ plugin }) => !(selected && plugin === 'SamePlacementAntiAffinity'));

/** The explanation of one cluster: the decision, failed filters, assumptions but the `common` ones, and the terms of the score. */
function explanationText(cluster: ExplainedCluster, common: readonly string[]): string {
  const { clusterName, decision, binding, filters, score } = cluster;
  const color = colorsFor(process.stdout);
  const selected = decision?.selected === true;
  const asked = askedOf(filters, selected);
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
    ...assumptionsIn(cluster).filter((text) => !common.includes(text)),
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
          : `, ${property} ${sortOrder?.toLowerCase()}: ${value ?? 'none'}${min === undefined || max === undefined ? '' : ` between ${rounded(min)} and ${rounded(max)}`}`;
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

/** Without the last digits of a floating-point number, which are no part of any quantity: 1.9000000000000001. */
const rounded = (value: number): number => Number(value.toPrecision(12));

const signed = (score: number): string => (score < 0 ? String(score) : `+${score}`).padStart(4);
