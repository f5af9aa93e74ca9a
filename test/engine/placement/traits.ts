import type { OracleOutcome } from './oracle.ts';
import type { World } from './worlds.ts';

/**
 * What makes a random world worth comparing. A generator that stops reaching one of these compares nothing: the oracle test
 * counts them and fails when one becomes rare.
 */
export const allTraits = [
  'nothing is required',
  'fewer are found than required',
  'a hard spread constraint refuses a cluster',
  'a soft spread constraint costs a thousand points',
  'several spread constraints',
  'one topology key twice',
  'a cluster without a topology label',
  'a domain of ineligible clusters only',
  'affinity scores differ',
  'a negative affinity score',
  'a sorter where some cluster lacks the property',
  'a tie between a picked and an unpicked cluster',
  'a former host wins a tie against a greater name',
  'a former host is taken over in place',
  'a former host is dropped',
  'a dropped binding is revived as Bound',
  'a binding stays where it could not be picked',
  'scale down of scored and unscored bindings',
  'scale down of Scheduled and Bound bindings',
  'a deleting binding next to a live one',
  'a cluster that left holds a binding',
  'ineligible',
  'leaving',
  'a taint that is not tolerated',
  'a taint that is tolerated',
  'bad property data',
  'a namespace that is not there',
  'a cluster with several reasons',
  'a policy edit',
  'an edit that changes nothing',
  'PickFixed with an unknown cluster',
  'PickFixed with an ineligible cluster',
  'PickFixed with a bound cluster that became ineligible',
  'PickFixed without names',
  'PickAll with clusters left out',
] as const;

type Trait = (typeof allTraits)[number];

export function traitsOf(world: World, outcome: OracleOutcome): Trait[] {
  const { placement, policySnapshots, bindings, members } = world;
  const { policy } = placement.spec;
  const { decisions, latestIndex } = outcome;
  const selected = decisions.filter((decision) => decision.selected);
  const unselected = decisions.filter((decision) => !decision.selected);
  const says = (text: string): boolean => unselected.some(({ reason }) => reason.includes(text));
  const before = bindings.filter(({ deleting, state }) => !deleting && state !== 'Unscheduled');
  const former = before.filter(({ policySnapshotIndex }) => policySnapshotIndex !== latestIndex);
  const current = before.filter(({ policySnapshotIndex }) => policySnapshotIndex === latestIndex);
  const isSelected = (name: string): boolean => selected.some(({ clusterName }) => clusterName === name);
  const memberOf = (name: string) => members.find((member) => member.name === name);
  const stayed = current.filter(({ targetCluster }) => memberOf(targetCluster)?.leaving === false);
  const dropped = stayed.filter(({ targetCluster }) => !isSelected(targetCluster));
  const pickN = policy.placementType === 'PickN';
  const constraints = pickN ? (policy.topologySpreadConstraints ?? []) : [];
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  const sorters = pickN
    ? (policy.affinity?.clusterAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(
        ({ preference }) => (preference.propertySorter ? [preference.propertySorter.name] : []),
      )
    : [];
  const scores = decisions.flatMap(({ clusterScore }) => (clusterScore ? [clusterScore] : []));
  const affinities = new Set(scores.map(({ affinityScore }) => affinityScore));
  const fixed = policy.placementType === 'PickFixed';
  const text = (score: object | undefined): string => JSON.stringify(score);
  const tied = (name: string, score: object | undefined, test: (other: string) => boolean): boolean =>
    unselected.some(
      (other) => other.clusterScore && text(other.clusterScore) === text(score) && test(other.clusterName),
    ) && isSelected(name);
  const taints = members.some((member) => member.taints.length > 0 && isSelected(member.name));
  const latest = policySnapshots.find((entry) => entry.latest);

  const claims: Readonly<Record<Trait, boolean>> = {
    'nothing is required': pickN && policy.numberOfClusters === 0,
    'fewer are found than required': pickN && outcome.status === 'False',
    'a hard spread constraint refuses a cluster': says('violated doNotSchedule'),
    'a soft spread constraint costs a thousand points': scores.some(
      ({ topologySpreadScore }) => topologySpreadScore <= -999,
    ),
    'several spread constraints': constraints.length > 1,
    'one topology key twice': new Set(keys).size < keys.length,
    'a cluster without a topology label': keys.some((key) => members.some(({ labels }) => labels[key] === undefined)),
    'a domain of ineligible clusters only': keys.some((key) => {
      const domains = members.map(({ labels }) => labels[key]);
      return domains.some(
        (domain) =>
          domain !== undefined &&
          members.every(({ labels, eligibility }) => labels[key] !== domain || !eligibility.eligible),
      );
    }),
    'affinity scores differ': pickN && affinities.size > 1,
    'a negative affinity score': pickN && [...affinities].some((score) => score < 0),
    'a sorter where some cluster lacks the property': sorters.some(
      (name) =>
        members.some(({ properties }) => properties[name] === undefined) &&
        members.some(({ properties }) => properties[name] !== undefined),
    ),
    'a tie between a picked and an unpicked cluster': selected.some(({ clusterName, clusterScore }) =>
      tied(clusterName, clusterScore, () => true),
    ),
    'a former host wins a tie against a greater name': selected.some(
      ({ clusterName, clusterScore }) =>
        former.some(({ targetCluster }) => targetCluster === clusterName) &&
        constraints.length === 0 &&
        tied(clusterName, clusterScore, (other) => other > clusterName),
    ),
    'a former host is taken over in place': former.some(({ targetCluster }) => isSelected(targetCluster)),
    'a former host is dropped': former.some(({ targetCluster }) => !isSelected(targetCluster)),
    'a dropped binding is revived as Bound': bindings.some(
      ({ targetCluster, state, previousState, deleting }) =>
        !deleting && state === 'Unscheduled' && previousState === 'Bound' && isSelected(targetCluster),
    ),
    'a binding stays where it could not be picked': stayed.some(
      ({ targetCluster }) =>
        !fixed && isSelected(targetCluster) && memberOf(targetCluster)?.eligibility.eligible === false,
    ),
    'scale down of scored and unscored bindings':
      pickN &&
      dropped.some(({ clusterDecision }) => clusterDecision?.clusterScore === undefined) &&
      dropped.some(({ clusterDecision }) => clusterDecision?.clusterScore !== undefined),
    'scale down of Scheduled and Bound bindings':
      pickN && dropped.some(({ state }) => state === 'Scheduled') && dropped.some(({ state }) => state === 'Bound'),
    'a deleting binding next to a live one': bindings.some(
      ({ deleting, targetCluster }) => deleting && before.some((live) => live.targetCluster === targetCluster),
    ),
    'a cluster that left holds a binding': before.some(({ targetCluster }) => memberOf(targetCluster) === undefined),
    ineligible: !fixed && says('stale'),
    leaving: !fixed && says('leaving'),
    'a taint that is not tolerated': says('is not tolerated'),
    'a taint that is tolerated': pickN && (policy.tolerations ?? []).length > 0 && taints,
    'bad property data': says('which is not a quantity'),
    'a namespace that is not there': says('namespace "shop" does not exist on the cluster'),
    'a cluster with several reasons': says('; '),
    'a policy edit': latest !== undefined && latest.index !== latestIndex,
    'an edit that changes nothing': latest !== undefined && latest.index === latestIndex && former.length > 0,
    'PickFixed with an unknown cluster': fixed && says('is not found'),
    'PickFixed with an ineligible cluster': fixed && says('is not eligible'),
    'PickFixed with a bound cluster that became ineligible':
      fixed && stayed.some(({ targetCluster }) => unselected.some(({ clusterName }) => clusterName === targetCluster)),
    'PickFixed without names': fixed && (policy.clusterNames ?? []).length === 0,
    'PickAll with clusters left out': policy.placementType === 'PickAll' && unselected.length > 0,
  };
  return allTraits.filter((trait) => claims[trait]);
}
