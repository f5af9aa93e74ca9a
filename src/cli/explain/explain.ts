import { type PlacementKind, placementKey } from '../../api/placement.ts';
import { planFleet } from '../../engine/plan.ts';
import type { PlannedPlacement } from '../../engine/plan-document.ts';
import { causeOf } from '../../report/cause.ts';
import { type PlanOptions, withPlanInput } from '../plan/input.ts';
import { withRecordedStatus } from '../plan/recorded-status.ts';
import { CliError } from '../terminal/exit.ts';
import { splitName } from '../terminal/names.ts';
import { oneNamed } from '../terminal/one-named.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { unknownName, unknownPlacement } from '../terminal/unknown-name.ts';
import { explainer } from './clusters.ts';
import { explanationsText } from './text.ts';

/** Why each cluster was or was not picked: every filter's verdict, every score term. */
export async function explain(
  word: string,
  givenName: string | undefined,
  options: PlanOptions & { readonly cluster?: string; readonly output: string },
): Promise<void> {
  const { kind, name } = placementMeant(word, givenName);
  const isKindOnly = givenName === undefined && kindWords.some(([form]) => form.test(word));
  const kinds = kindsCalled(kind);
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const { input, unreachable } = await withPlanInput(options, async (written, context) => ({
    input: withRecordedStatus(written),
    unreachable: context.unreachable,
  }));
  const { plan } = planFleet(input);
  const known = plan.placements.filter((placement) => kinds.includes(placement.kind));
  const placement = oneNamed(known, name, { what: 'placement', refOf: (each) => each });
  // A placement may be called `placement`; if none is, the name is missing.
  if (!placement && isKindOnly) throw new CliError(`explain ${word} needs a name: gitfleet get placements lists them`);
  if (!placement) throw unknownPlacement({ name, kinds, known, refused: input.fleet.refused });
  const explained = explainer({ input, plan, unreachable });
  const { scheduled } = placement;
  const clusters = explained.of(placement, options.cluster);
  if (options.cluster !== undefined && clusters.length === 0 && !explained.clusters.includes(options.cluster))
    throw unknownName({ what: 'cluster', name: options.cluster, known: explained.clusters, flag: '--cluster' });
  const document = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Explanation',
    placement: placementKey(placement),
    scheduled,
    clusters,
  };
  if (format === 'json') return printJson(document);
  if (format === 'yaml') return printYaml(document);
  const none =
    explained.clusters.length === 0 ? ['The fleet has no MemberCluster. gitfleet join CONTEXT adds one.'] : [];
  print([...headline(placement), ...none, ...explanationsText(clusters, placement.decisions)].join('\n'));
}

/** An invalid selection is reported before the clusters, since nothing is scheduled then. */
const headline = ({ kind, scheduled }: PlannedPlacement): string[] =>
  scheduled.reason === 'InvalidResourceSelectors' ? [`${kind}Scheduled is False, ${causeOf(scheduled)}`] : [];

/** `explain shop`, `explain team/shop`, `explain placement shop` and `explain crp/shop`. */
function placementMeant(word: string, givenName: string | undefined): { readonly kind: string; readonly name: string } {
  const { kind, name } = splitName(word, givenName);
  const isKind = givenName !== undefined || kindWords.some(([form]) => form.test(kind));
  return isKind && name !== undefined ? { kind, name } : { kind: 'placement', name: word };
}

/** What kubectl accepts for a placement: full names, plurals and KubeFleet's short names. */
const kindWords: readonly (readonly [RegExp, readonly PlacementKind[]])[] = [
  [/^(crp|clusterresourceplacement)s?$/i, ['ClusterResourcePlacement']],
  [/^(rp|resourceplacement)s?$/i, ['ResourcePlacement']],
  [/^placements?$/i, ['ClusterResourcePlacement', 'ResourcePlacement']],
];

function kindsCalled(kind: string): readonly PlacementKind[] {
  const kinds = kindWords.find(([form]) => form.test(kind))?.[1];
  if (kinds) return kinds;
  const isOfNodes = /^node(pool)?s?$/i.test(kind);
  const instead = isOfNodes
    ? `describe ${kind.toLowerCase().replace(/s$/, '')} NAME --cluster C`
    : 'explain placement shop';
  throw new CliError(`explain takes a placement, not ${kind}: gitfleet ${instead}`);
}
