import { type PlacementKind, placementKey } from '../api/placement.ts';
import { planFleet } from '../engine/plan.ts';
import { CliError } from './exit.ts';
import { explainer } from './explain-clusters.ts';
import { explanationText } from './explain-text.ts';
import { titleOf } from './names.ts';
import { outputFormat, print, printJson, printYaml } from './output.ts';
import { type PlanOptions, readPlanInput } from './plan-input.ts';
import { withRecordedStatus } from './recorded-status.ts';
import { unknownName } from './unknown-name.ts';

/** Why each cluster was or was not picked: every filter's verdict, every score term. */
export async function explain(
  kind: string,
  name: string,
  options: PlanOptions & { readonly cluster?: string; readonly output: string },
): Promise<void> {
  const kinds = kindsCalled(kind);
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const input = withRecordedStatus(await readPlanInput(options));
  const explained = explainer(input);
  const known = explained.placements.filter((placement) => kinds.includes(placement.kind));
  const placement = known.find((each) => titleOf(each) === name) ?? known.find((each) => each.name === name);
  if (!placement) throw unknownName({ what: 'placement', name, known: known.map(titleOf) });
  if (options.cluster !== undefined && !explained.clusters.includes(options.cluster))
    throw unknownName({ what: 'cluster', name: options.cluster, known: explained.clusters, flag: '--cluster' });
  const wanted = placementKey(placement);
  const planned = planFleet(input).plan.placements.find((candidate) => placementKey(candidate) === wanted);
  const decisions = new Map(planned?.decisions.map((decision) => [decision.clusterName, decision]));
  const all = explained
    .of(placement, options.cluster)
    .map((explanation) => ({ ...explanation, decision: decisions.get(explanation.clusterName) }));
  if (format === 'json') return printJson({ placement: wanted, clusters: all });
  if (format === 'yaml') return printYaml({ placement: wanted, clusters: all });
  print(all.map(explanationText).join('\n'));
}

/** What kubectl would take for a placement: full names, plurals and KubeFleet's short names. */
function kindsCalled(kind: string): readonly PlacementKind[] {
  if (/^(crp|clusterresourceplacement)s?$/i.test(kind)) return ['ClusterResourcePlacement'];
  if (/^(rp|resourceplacement)s?$/i.test(kind)) return ['ResourcePlacement'];
  if (/^placements?$/i.test(kind)) return ['ClusterResourcePlacement', 'ResourcePlacement'];
  throw new CliError(`explain takes a placement, not ${kind}: gitfleet explain placement shop`);
}
