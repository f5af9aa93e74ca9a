import { targetContent } from '../../engine/delivery/target-content.ts';
import { planFleet } from '../../engine/plan.ts';
import type { PlannedPlacement } from '../../engine/plan-document.ts';
import { placementTargets } from '../../engine/target-kinds.ts';
import { titleOf } from '../../repo/title-of.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { unknownName, unknownPlacement } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';
import { invalidFileLines, waitingLines, waitsFor } from './waiting-lines.ts';

/**
 * Prints the manifests that one cluster gets, as they would be applied. Exit code 1 with the reason when nothing is assigned to
 * it; 2 when something cannot be rendered, after the rest is printed. Notes on stderr list what differs from the files, and why.
 */
export async function render(
  options: PlanOptions & { readonly cluster: string; readonly placement?: string; readonly output: string },
): Promise<void> {
  const { cluster, placement: wanted } = options;
  const format = outputFormat(options.output, ['yaml', 'json']);
  const input = await readPlanInput(options);
  const { plan, contents } = planFleet(input);
  const members = input.fleet.members.map(({ metadata }) => metadata.name);
  if (!members.includes(cluster))
    throw unknownName({ what: 'cluster', name: cluster, known: members, flag: '--cluster' });
  const asked = (of: { readonly name: string; readonly namespace?: string | undefined }): boolean =>
    wanted === undefined || wanted === of.name || wanted === titleOf(of);
  const placements = plan.placements.filter(asked);
  const targets = placementTargets(plan.targets).filter(
    ({ clusterName, placement }) => clusterName === cluster && asked(placement),
  );
  if (wanted !== undefined && placements.length === 0 && targets.length === 0)
    throw unknownPlacement({
      name: wanted,
      known: plan.placements,
      refused: input.fleet.refused,
      flag: '--placement',
    });
  const reasons = { holds: plan.holds, runs: input.fleet.runs };
  const failures = placements.flatMap((placement) => failureOn(cluster, placement));
  if (targets.length === 0 && failures.length === 0)
    throw new CliError(nothingAssigned({ cluster, wanted, placements, reasons }), exitCodes.somethingToDo);

  const manifests = targets.flatMap(
    (target) => targetContent(contents, target)?.manifests.map(({ manifest }) => manifest) ?? [],
  );
  if (format === 'json') printJson({ apiVersion: 'v1', kind: 'List', items: manifests });
  else {
    const { stringify } = await import('yaml');
    print(
      manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'),
    );
  }
  for (const line of [...waitingLines(cluster, placements, reasons), ...invalidFileLines(plan.problems)])
    writeError(`note: ${line}\n`);
  if (failures.length > 0) throw new CliError(failures.join('\n'), exitCodes.invalidInput);
}

/** An override or envelope that fails on the cluster: nothing is applied there, so there is nothing to print. */
function failureOn(cluster: string, placement: PlannedPlacement): string[] {
  const binding = placement.bindings.find(({ clusterName, state }) => clusterName === cluster && state === 'Bound');
  const failed = binding?.conditions.find(
    ({ type, status, reason }) =>
      status === 'False' && (type === 'Overridden' || (type === 'WorkSynchronized' && reason === 'SyncWorkFailed')),
  );
  return failed ? [`${titleOf(placement)} cannot be rendered for ${cluster}: ${failed.message ?? failed.reason}`] : [];
}

/** The reason why a cluster gets nothing: what its binding waits for, an invalid selection, or the scheduler's decision. */
function nothingAssigned(of: {
  readonly cluster: string;
  readonly wanted: string | undefined;
  readonly placements: readonly PlannedPlacement[];
  readonly reasons: Parameters<typeof waitingLines>[2];
}): string {
  const { cluster, wanted, placements, reasons } = of;
  const nothing = `nothing is assigned to ${cluster}${wanted === undefined ? '' : ` by ${wanted}`} now`;
  const [only] = placements;
  if (wanted === undefined || only === undefined) return nothing;
  const binding = only.bindings.find(({ clusterName }) => clusterName === cluster);
  const decision = only.decisions.find(({ clusterName }) => clusterName === cluster);
  const { reason, message } = only.scheduled;
  const why = reason === 'InvalidResourceSelectors' ? message : decision?.selected ? undefined : decision?.reason;
  const because = binding ? waitsFor(cluster, only, reasons) : why;
  return because === undefined
    ? `${nothing}; gitfleet explain placement ${titleOf(only)} --cluster ${cluster} explains why`
    : `${nothing}: ${because}`;
}
