import type { Manifest } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import { withoutValues } from '../engine/delivery/secret-values.ts';
import { planFleet } from '../engine/plan.ts';
import { CliError, exitCodes } from './exit.ts';
import { lineDiff } from './line-diff.ts';
import { print } from './output.ts';
import { type PlanOptions, readPlanInput } from './plan-input.ts';
import { colorsFor } from './terminal.ts';

/** What this plan changes on every cluster against what the record says runs there; equal diffs are told once. */
export async function diff(
  options: PlanOptions & { readonly cluster?: string; readonly exitCode: string },
): Promise<void> {
  const input = await readPlanInput(options);
  const next = planFleet(input);
  const { stringify } = await import('yaml');
  const text = (manifest: Manifest | undefined): string =>
    manifest === undefined ? '' : stringify(withoutValues(manifest), { lineWidth: 0, aliasDuplicateObjects: false });
  const groups = new Map<string, { readonly title: string; readonly body: string; readonly clusters: string[] }>();
  for (const target of next.plan.targets) {
    if (options.cluster !== undefined && target.clusterName !== options.cluster) continue;
    const key = placementKey(target.placement);
    const before = byName(next.recordedContentOf(target));
    const after = byName(
      target.remove ? [] : (next.contentOf(target)?.manifests.map(({ manifest }) => manifest) ?? []),
    );
    for (const name of [...new Set([...before.keys(), ...after.keys()])].sort()) {
      const body = lineDiff(text(before.get(name)), text(after.get(name)));
      if (body === '') continue;
      const group = groups.get(`${key} ${name} ${body}`) ?? { title: `${key}: ${name}`, body, clusters: [] };
      group.clusters.push(target.clusterName);
      groups.set(`${key} ${name} ${body}`, group);
    }
  }
  const color = colorsFor(process.stdout);
  for (const { title, body, clusters } of groups.values()) {
    print(
      color(
        'bold',
        `${title} on ${clusters.length === 1 ? clusters[0] : `${clusters.length} clusters: ${clusters.join(', ')}`}`,
      ),
    );
    for (const line of body.split('\n'))
      print(line.startsWith('+') ? color('green', line) : line.startsWith('-') ? color('red', line) : line);
    print('');
  }
  if (groups.size > 0 && options.exitCode !== 'false')
    throw new CliError('', exitCodes.somethingToDo, { silent: true });
}

const byName = (manifests: readonly Manifest[]): Map<string, Manifest> =>
  new Map(
    manifests.map((manifest) => [
      `${manifest.kind} ${manifest.metadata.namespace ? `${manifest.metadata.namespace}/` : ''}${manifest.metadata.name}`,
      manifest,
    ]),
  );
