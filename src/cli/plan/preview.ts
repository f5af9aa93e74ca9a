import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { previewAssumptions, totalEffect } from '../../forecast/total-effect.ts';
import { mergeTrees } from '../../git/merge-trees.ts';
import { requireFolder } from '../../git/objects/folder-of-tree.ts';
import { resolveCommit } from '../../git/resolve-commit.ts';
import { withAddedWarnings } from '../../repo/fleet/fleet-warnings.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { effectMarkdown, titleWith } from '../../report/effect/effect-markdown.ts';
import {
  changeLines,
  type EffectText,
  effectHeadings,
  effectText,
  mergedText,
} from '../../report/effect/effect-text.ts';
import { openGit } from '../fleet-repo/open-git.ts';
import { titled } from '../kinds/page-text.ts';
import { durationOf } from '../terminal/duration-flag.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { unreadable } from '../terminal/file-errors.ts';
import { mostNamed } from '../terminal/names.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { type PlanOptions, withPlanInput } from './input.ts';
import { withRecordedStatus } from './recorded-status.ts';

/**
 * The total effect of a change: what the clusters have once everything of `ref`, merged into `base`, has settled, compared with what they
 * have once everything of `base` has. Exit code as of `plan`.
 */
export async function preview(
  options: PlanOptions & {
    readonly base: string;
    readonly output: string;
    readonly all?: boolean;
    readonly readyAfter?: string;
  },
): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml', 'markdown']);
  const { readyAfter } = options;
  const given = readyAfter === undefined ? {} : { readyAfterMs: durationOf('--ready-after', readyAfter) };
  const next = await mergedFleet(options);
  const { effect, found } = await withPlanInput({ ...options, ref: options.base }, async (input) => {
    const { fleet } = withRecordedStatus({
      ...input,
      fleet: withAddedWarnings(next.fleet, input.fleet, input.record),
    });
    const assumptions = { ...previewAssumptions(input.fleet, fleet), ...given };
    const effect = totalEffect(withRecordedStatus(input), { fleet, commit: next.commit }, assumptions);
    return { effect, found: await placeProblems(effect.first.plan.problems, next.tree) };
  });
  await next.close();
  const text = effectText(effect, { all: options.all ?? false });
  const head = `${mergedText(next, options.base)}.`;
  if (format === 'json' || format === 'yaml') {
    const { first: _first, nodes: _nodes, supposed: _supposed, ...document } = effect;
    await (format === 'json' ? printJson : printYaml)({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'TotalEffect',
      commit: next.commit,
      base: options.base,
      baseCommit: next.into,
      ...document,
      nodes: text.nodes,
      problems: found,
    });
  } else if (format === 'markdown') print(effectMarkdown(text, { head, problems: found }));
  else print(effectTable(text, { head, problems: found }));
  const code = exitCodeOf(text, found);
  if (code !== exitCodes.nothingToDo) throw new CliError('', code, { silent: true });
}

function exitCodeOf({ guard, isEmpty }: EffectText, problems: readonly Problem[]): number {
  if (problems.some(({ severity }) => severity === 'error')) return exitCodes.invalidInput;
  if (guard.length > 0) return exitCodes.refused;
  return isEmpty ? exitCodes.nothingToDo : exitCodes.somethingToDo;
}

/** The fleet of the change merged into the base. Its files stay open for the positions of problems. Error: CliError for conflicts. */
async function mergedFleet({ repo, path: folder = '', ref, base }: PlanOptions & { readonly base: string }): Promise<{
  readonly fleet: Fleet;
  readonly commit: string;
  readonly into: string;
  readonly tree: Parameters<typeof placeProblems>[1];
  readonly close: () => Promise<void>;
}> {
  const branches = await openGit(repo).catch(unreadable(repo));
  try {
    const into = await resolveCommit(branches, base);
    const commit = await resolveCommit(branches, ref);
    // The first fetch of a server leaves out where the two parted.
    if (branches.remote) for (const name of [base, ref ?? 'HEAD']) await branches.deepen(`refs/heads/${name}`);
    await requireFolder(branches.objects, { folder, commit, named: ref ?? 'HEAD' });
    const { tree, conflicts } = await mergeTrees(branches.objects, { ours: into, theirs: commit, folder });
    if (conflicts.length > 0)
      throw new CliError(
        `${ref ?? 'HEAD'} cannot be merged into ${base}: both changed ${listUpTo(conflicts, mostNamed)}: merge ${base} into it and plan again`,
      );
    return { fleet: await loadFleet(tree), commit, into, tree: async () => tree, close: () => branches.close() };
  } catch (error) {
    await branches.close();
    throw error;
  }
}

/** The same facts as in Markdown, in the same order. */
function effectTable(
  text: EffectText,
  { head, problems }: { readonly head: string; readonly problems: readonly Problem[] },
): string {
  const shown = problems.filter(({ severity }) => severity !== 'info');
  return [
    titleWith(text.title, problems),
    ...(text.guard.length > 0 ? [titled('Refused by the guard', text.guard.join('\n'))] : []),
    ...(text.rows.length > 0 ? [table(effectHeadings, text.rows)] : []),
    ...text.changes.map(changeLines),
    ...(text.rollout.length > 0 ? [titled('How it rolls out', text.rollout.join('\n'))] : []),
    ...(text.upgrades.length > 0 ? [titled('Cluster upgrades', text.upgrades.join('\n'))] : []),
    ...(text.nodes.length > 0 ? [titled('Nodes', text.nodes.join('\n'))] : []),
    `Forecast: ${text.forecast}`,
    ...(shown.length > 0 ? [titled('Problems', shown.map(formatProblem).join('\n'))] : []),
    head,
  ].join('\n\n');
}
