import { placementKey, refOf } from '../api/placement.ts';
import { admit } from '../engine/admission/admit.ts';
import { compileFleet } from '../engine/placement/compile-fleet.ts';
import { explain as explainPlacement } from '../engine/placement/explain.ts';
import { surveyMembers } from '../engine/placement/members.ts';
import { planFleet } from '../engine/plan.ts';
import { CliError } from './exit.ts';
import { outputFormat, print, printJson, printYaml } from './output.ts';
import { type PlanOptions, readPlanInput } from './plan-input.ts';
import { colorsFor } from './terminal.ts';

/** Why each cluster was or was not picked: every filter's verdict, every score term. */
export async function explain(
  kind: string,
  name: string,
  options: PlanOptions & { readonly cluster?: string; readonly output: string },
): Promise<void> {
  if (!/^(placement|crp|rp|clusterresourceplacement|resourceplacement)s?$/i.test(kind))
    throw new CliError(`explain takes a placement, not ${kind}: gitfleet explain placement shop`);
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const input = await readPlanInput(options);
  const admitted = admit(input.fleet, input.record);
  const wanted = name.replace('/', '.');
  const placement = admitted.placements.find((candidate) => placementKey(refOf(candidate)) === wanted);
  if (!placement) {
    const known = admitted.placements.map((candidate) => placementKey(refOf(candidate)));
    throw new CliError(`there is no placement ${name}: the fleet has ${known.join(', ') || 'none'}`);
  }
  const members = surveyMembers({ ...input, fleet: { members: admitted.members } });
  const recorded = input.record.placements.get(placementKey(refOf(placement)))?.state;
  const explanations = explainPlacement(
    {
      placement,
      state: { policySnapshots: recorded?.policySnapshots ?? [], bindings: recorded?.bindings ?? [] },
      index: compileFleet(members),
      now: input.now,
      digest: input.digest,
    },
    options.cluster,
  );
  if (options.cluster !== undefined && explanations.length === 0)
    throw new CliError(`there is no member ${options.cluster}`);
  const planned = planFleet(input).plan.placements.find((candidate) => placementKey(candidate) === wanted);
  const decisions = new Map(planned?.decisions.map((decision) => [decision.clusterName, decision]));
  const all = explanations.map((explanation) => ({ ...explanation, decision: decisions.get(explanation.clusterName) }));
  if (format === 'json') return printJson({ placement: wanted, clusters: all });
  if (format === 'yaml') return printYaml({ placement: wanted, clusters: all });
  const color = colorsFor(process.stdout);
  for (const { clusterName, decision, ...rest } of all) {
    print(
      `${color(decision?.selected ? 'green' : 'yellow', `${decision?.selected ? '✓' : '✗'} ${clusterName}`)}  ${decision?.reason ?? ''}`,
    );
    for (const line of detailLines(rest)) print(`    ${line}`);
  }
}

/** The machinery's own findings, one line each, without empty ones. */
function detailLines(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value))
    return value.flatMap((item) =>
      typeof item === 'object' && item !== null ? [`${prefix}${flat(item)}`] : [`${prefix}${item}`],
    );
  return Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, item]) => {
    if (item === undefined || item === null || (Array.isArray(item) && item.length === 0)) return [];
    if (Array.isArray(item)) return detailLines(item, `${key}: `);
    return typeof item === 'object' ? [`${key}: ${flat(item)}`] : [`${key}: ${item}`];
  });
}

const flat = (item: object): string =>
  Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' ');
