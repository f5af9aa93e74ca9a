import type { ClusterDecision } from '../../api/placement-state.ts';
import { sameValue } from '../../engine/kernel/same-value.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { amountText } from '../../engine/placement/amount-text.ts';
import type { ScoreExplanation } from '../../engine/placement/explain/explain.ts';
import { colorsFor } from '../terminal/colors.ts';
import type { ExplainedCluster } from './clusters.ts';

/** Explanations as text; what is assumed of every cluster is reported once, at the end. */
export function explanationsText(
  clusters: readonly ExplainedCluster[],
  decisions: readonly ClusterDecision[],
): string[] {
  const [first, ...others] = clusters.map(assumptionsIn);
  const common = others.length === 0 ? [] : (first ?? []).filter((text) => others.every((of) => of.includes(text)));
  return [
    ...clusters.map((cluster) => explanationText(cluster, { common, decisions })),
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

/**
 * The explanation of one cluster: the decision, failed filters, assumptions but the `common` ones, and the terms of the score where
 * all filters pass. What the decision says already is not repeated.
 */
function explanationText(
  cluster: ExplainedCluster,
  { common, decisions }: { readonly common: readonly string[]; readonly decisions: readonly ClusterDecision[] },
): string {
  const { clusterName, decision, binding, filters, score } = cluster;
  const color = colorsFor(process.stdout);
  const selected = decision?.selected === true;
  const asked = askedOf(filters, selected);
  const failed = asked.filter(({ passed }) => !passed);
  const seen = asked.filter(({ assumed }) => !assumed);
  const verdict = decision?.reason ?? 'not in the decisions';
  return [
    `${color(selected ? 'green' : 'yellow', `${selected ? '✓' : '✗'} ${clusterName}`)}  ${verdict}`,
    ...(binding ? [`binding: ${binding}`] : []),
    failed.length === 0
      ? `passes ${seen.map(({ plugin }) => plugin).join(', ')}`
      : failed
          .flatMap(({ plugin, reason = '', unmet = [] }) => {
            const isKnown = verdict.includes(reason);
            return [isKnown ? `fails ${plugin}` : `${plugin}: ${reason}`, ...unmet.map((text) => `  ${text}`)];
          })
          .join('\n    '),
    ...assumptionsIn(cluster).filter((text) => !common.includes(text)),
    ...tieLines(decision, decisions),
    ...(score && failed.length === 0 ? scoreLines(score) : []),
  ].join('\n    ');
}

/** Why a cluster is not picked although it has the score of one that is. */
function tieLines(decision: ClusterDecision | undefined, decisions: readonly ClusterDecision[]): string[] {
  const score = decision?.clusterScore;
  if (score === undefined || decision?.selected) return [];
  const equals = decisions.filter(
    ({ selected, clusterScore }) => selected && clusterScore && sameValue(clusterScore, score),
  );
  if (equals.length === 0) return [];
  const names = listUpTo(
    equals.map(({ clusterName }) => clusterName),
    5,
  );
  return [`same score as ${names}: of equal clusters the one with the last name in the alphabet is picked first`];
}

function scoreLines({ affinityScore, topologySpreadScore, terms, spread }: ScoreExplanation): string[] {
  return [
    `would score now: affinity ${affinityScore}, topology spread ${topologySpreadScore}`,
    ...terms.map(({ weight, labelsMatch, property, sortOrder, value, min, max, score }) => {
      const about =
        property === undefined
          ? ''
          : `, ${property} ${sortOrder?.toLowerCase()}: ${value === undefined ? 'none' : amountText(property, value)}${min === undefined || max === undefined ? '' : ` between ${amountText(property, min)} and ${amountText(property, max)}`}`;
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
