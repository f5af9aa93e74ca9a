import { planFleet } from '../../engine/plan.ts';
import { rightsFor } from '../../members/rights.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';
import { memberAccount } from './member-account.ts';
import { pluralsOf, workOn } from './work-on.ts';

/**
 * Prints the account of gitfleet for one member, with the rights that what is placed there needs, and no more. It can be applied with
 * kubectl as it is.
 */
export async function rbac(
  options: PlanOptions & { readonly cluster: string; readonly output: string },
): Promise<void> {
  const { cluster } = options;
  const format = outputFormat(options.output, ['yaml', 'json']);
  const input = await readPlanInput(options);
  const known = input.fleet.members.map(({ metadata }) => metadata.name);
  if (!known.includes(cluster)) throw unknownName({ what: 'cluster', name: cluster, known, flag: '--cluster' });
  const work = workOn(cluster, input, planFleet(input));
  const items = memberAccount(rightsFor(work, pluralsOf(input)));
  if (work.placed.length === 0)
    writeError(`note: nothing is placed on ${cluster}, so the account may only observe it\n`);
  if (work.placed.some(({ kind }) => kind === 'Namespace' || kind === 'CustomResourceDefinition'))
    writeError(
      `note: to remove a namespace or a CRD gitfleet must see that it is empty; without the right to list everything in it, it stays until you remove it or approve that\n`,
    );
  if (format === 'json') return printJson({ apiVersion: 'v1', kind: 'List', items });
  print(await yamlOf(items));
}

/** Documents that kubectl can apply. */
export async function yamlOf(items: readonly object[]): Promise<string> {
  const { stringify } = await import('yaml');
  return items.map((item) => stringify(item, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
}
