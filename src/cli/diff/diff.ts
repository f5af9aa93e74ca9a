import type { Manifest } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import { recordedContent, targetContent } from '../../engine/delivery/target-content.ts';
import { parseDuration } from '../../engine/kernel/duration.ts';
import { planFleet } from '../../engine/plan.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { placementTargets } from '../../engine/target-kinds.ts';
import { changeOf, type ManifestChange } from '../../repo/diff/change.ts';
import { titleOf } from '../../repo/title-of.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import { withRecordedStatus } from '../plan/recorded-status.ts';
import { type Asked, heldLines } from '../render/waiting-lines.ts';
import { colorsFor } from '../terminal/colors.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { unknownName, unknownPlacement } from '../terminal/unknown-name.ts';
import { writeError } from '../terminal/write.ts';

export interface DiffOptions extends PlanOptions {
  readonly cluster?: string;
  readonly placement?: string;
  readonly members?: string;
  readonly timeout: string;
  readonly exitCode: string;
  readonly output: string;
}

/** A change that some clusters have in common. */
interface SharedChange extends ManifestChange {
  readonly placement: string;
  readonly clusterNames: readonly string[];
}

/**
 * What this plan changes on every cluster: against the recorded objects, or, with `--members`, against the live
 * objects, by a server-side dry-run as `kubectl diff` does it. Equal changes of several clusters are printed once. Exit code 1 when there
 * are some.
 */
export async function diff(options: DiffOptions): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const timeoutMs = parseDuration(options.timeout);
  if (timeoutMs === undefined)
    throw new CliError(`--timeout ${options.timeout} is not a duration: write for example 15s`);
  const input = withRecordedStatus(await readPlanInput(options));
  const clusters = input.fleet.members.map(({ metadata }) => metadata.name);
  if (options.cluster !== undefined && !clusters.includes(options.cluster))
    throw unknownName({ what: 'cluster', name: options.cluster, known: clusters, flag: '--cluster' });
  const next = planFleet(input);
  const placements = next.plan.placements.map((placement) => placementKey(placement));
  const wanted = options.placement?.replace('/', '.');
  if (wanted !== undefined && !(placements as readonly string[]).includes(wanted))
    throw unknownPlacement({
      name: options.placement!,
      known: next.plan.placements,
      refused: input.fleet.refused,
      flag: '--placement',
    });
  const asked: Asked = (placement, clusterName) =>
    (wanted === undefined || placementKey(placement) === wanted) &&
    (options.cluster === undefined || clusterName === undefined || clusterName === options.cluster);
  const targets = placementTargets(next.plan.targets).filter(
    ({ clusterName, placement, digest, remove }) =>
      // Without a digest the contents are not known: what is there stays.
      (digest !== undefined || remove) && asked(placement, clusterName),
  );
  const after = (target: (typeof targets)[number]): readonly Manifest[] =>
    target.remove ? [] : (targetContent(next.contents, target)?.manifests.map(({ manifest }) => manifest) ?? []);
  const groups = new Map<string, SharedChange>();
  const add = (clusterName: string, placement: string, change: ManifestChange): void => {
    const key = `${placement} ${change.object} ${change.diff}`;
    const group = groups.get(key) ?? { placement, ...change, clusterNames: [] };
    groups.set(key, { ...group, clusterNames: [...group.clusterNames, clusterName] });
  };
  let unreached: readonly string[] = [];
  if (options.members === undefined) {
    for (const target of targets) {
      // Nothing is applied.
      if (!target.remove && targetContent(next.contents, target)?.strategy.type === 'ReportDiff') continue;
      for (const change of changes(recordedContent(next.contents, target), after(target)))
        add(target.clusterName, titleOf(target.placement), change);
    }
  } else {
    const { liveChanges } = await import('./live.ts');
    const found = await liveChanges(
      targets.map((target) => ({
        clusterName: target.clusterName,
        placement: titleOf(target.placement),
        wanted: after(target),
        label: targetContent(next.contents, target)?.label,
        prunable: targetContent(next.contents, target)?.prunable ?? [],
      })),
      { members: options.members, timeoutMs },
    );
    for (const { clusterName, placement, change } of found.changes) add(clusterName, placement, change);
    unreached = found.unreached;
  }
  await show([...groups.values()], format);
  for (const line of heldLines(next, { asked, runs: input.fleet.runs })) writeError(`note: ${line}\n`);
  for (const line of unreached) writeError(`${line}\n`);
  if (unreached.length > 0) throw new CliError('', exitCodes.unreachable, { silent: true });
  if (groups.size > 0 && options.exitCode !== 'false')
    throw new CliError('', exitCodes.somethingToDo, { silent: true });
}

function changes(before: readonly Manifest[], after: readonly Manifest[]): ManifestChange[] {
  const [was, is] = [byKey(before), byKey(after)];
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((key) => changeOf(was.get(key), is.get(key)) ?? []);
}

const byKey = (manifests: readonly Manifest[]): ReadonlyMap<string, Manifest> =>
  new Map(manifests.map((manifest) => [keyOfManifest(manifest), manifest]));

function show(shared: readonly SharedChange[], format: ReturnType<typeof outputFormat>): void | Promise<void> {
  const document = { apiVersion: 'gitfleet.dev/v1alpha1', kind: 'DiffList', items: shared };
  if (format === 'json') return printJson(document);
  if (format === 'yaml') return printYaml(document);
  const color = colorsFor(process.stdout);
  for (const { placement, object, diff, clusterNames } of shared) {
    const where =
      clusterNames.length === 1 ? clusterNames[0] : `${clusterNames.length} clusters: ${clusterNames.join(', ')}`;
    print(color('bold', `${placement}: ${object} on ${where}`));
    for (const line of diff.split('\n'))
      print(line.startsWith('+') ? color('green', line) : line.startsWith('-') ? color('red', line) : line);
    print('');
  }
}
