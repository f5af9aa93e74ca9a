import { planFleet } from '../engine/plan.ts';
import { CliError } from './exit.ts';
import { outputFormat, print, printJson } from './output.ts';
import { type PlanOptions, readPlanInput } from './plan-input.ts';
import { unknownName } from './unknown-name.ts';

/** The manifests that one cluster gets, as they would be applied. */
export async function render(
  options: PlanOptions & { readonly cluster: string; readonly placement?: string; readonly output: string },
): Promise<void> {
  const format = outputFormat(options.output, ['yaml', 'json']);
  const input = await readPlanInput(options);
  const result = planFleet(input);
  if (!input.fleet.members.some(({ metadata }) => metadata.name === options.cluster)) {
    throw unknownName({
      what: 'cluster',
      name: options.cluster,
      known: input.fleet.members.map(({ metadata }) => metadata.name),
      flag: '--cluster',
    });
  }
  const targets = result.plan.targets
    .filter((target) => target.clusterName === options.cluster)
    .filter(
      ({ placement: { name, namespace } }) =>
        options.placement === undefined || options.placement === name || options.placement === `${namespace}/${name}`,
    );
  if (targets.length === 0) {
    throw new CliError(
      `nothing is assigned to ${options.cluster}${options.placement === undefined ? '' : ` by ${options.placement}`} now; gitfleet explain says why`,
      1,
    );
  }
  const manifests = targets.flatMap(
    (target) => result.contentOf(target)?.manifests.map(({ manifest }) => manifest) ?? [],
  );
  if (format === 'json') return printJson({ apiVersion: 'v1', kind: 'List', items: manifests });
  const { stringify } = await import('yaml');
  print(manifests.map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n'));
}
