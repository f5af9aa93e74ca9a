import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { parseDuration } from '../../engine/kernel/duration.ts';
import { totalEffect } from '../../forecast/total-effect.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { formatProblem } from '../../repo/fleet/positions.ts';
import { effectMarkdown } from '../../report/effect/effect-markdown.ts';
import { type EffectText, effectHeadings, effectText } from '../../report/effect/effect-text.ts';
import { openRepo } from '../fleet-repo/open-repo.ts';
import { titled } from '../kinds/page-text.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { type PlanOptions, withPlanInput } from './input.ts';

/** Until when a change is followed, and what is supposed on the way: the forecast of a preview. */
const assumptions = {
  untilMs: parseDuration('720h')!,
  readyAfterMs: parseDuration('90s')!,
  approveAfterMs: parseDuration('1h')!,
};

/**
 * The total effect of a change: what the clusters have once everything of `ref` has settled, compared with what they have once
 * everything of `base` has. Exit code as of `plan`.
 */
export async function preview(
  options: PlanOptions & { readonly base: string; readonly output: string },
): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'markdown']);
  const next = await fleetAt(options);
  const { effect, found } = await withPlanInput({ ...options, ref: options.base }, async (input) => {
    const effect = totalEffect(input, next, assumptions);
    return { effect, found: await placeProblems(effect.first.plan.problems, next.tree) };
  });
  await next.close();
  const text = effectText(effect);
  const head = `Plan of ${next.commit.slice(0, 12)}, compared with ${options.base}.`;
  if (format === 'json') {
    const { first: _, ...document } = effect;
    printJson({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'TotalEffect',
      commit: next.commit,
      base: options.base,
      ...document,
      problems: found,
    });
  } else if (format === 'markdown') print(effectMarkdown(text, { head, problems: found }));
  else print(effectTable(text, { head, problems: found }));
  const code = exitCodeOf(text, found);
  if (code !== exitCodes.nothingToDo) throw new CliError('', code, { silent: true });
}

function exitCodeOf({ guard, rows }: EffectText, problems: readonly Problem[]): number {
  if (problems.some(({ severity }) => severity === 'error')) return exitCodes.invalidInput;
  if (guard.length > 0) return exitCodes.refused;
  return rows.length > 0 ? exitCodes.somethingToDo : exitCodes.nothingToDo;
}

/** The fleet of the change. Its files stay open for the positions of problems. */
async function fleetAt({ repo, ref }: PlanOptions): Promise<{
  readonly fleet: Fleet;
  readonly commit: string;
  readonly tree: Parameters<typeof placeProblems>[1];
  readonly close: () => Promise<void>;
}> {
  const opened = await openRepo(repo, { ref });
  const fleet = await loadFleet(opened.tree);
  return { fleet, commit: opened.tree.id, tree: async () => opened.tree, close: () => opened.close() };
}

/** The same facts as in Markdown, in the same order. */
function effectTable(
  text: EffectText,
  { head, problems }: { readonly head: string; readonly problems: readonly Problem[] },
): string {
  const shown = problems.filter(({ severity }) => severity !== 'info');
  return [
    text.title,
    ...(text.guard.length > 0 ? [titled('Refused by the guard', text.guard.join('\n'))] : []),
    ...(text.rows.length > 0 ? [table(effectHeadings, text.rows)] : []),
    ...text.changes.map(({ title, diff, isRemoval }) => (isRemoval ? title : `${title}\n${diff}`)),
    ...(text.rollout.length > 0 ? [titled('How it rolls out', text.rollout.join('\n'))] : []),
    `Forecast: ${text.forecast}`,
    ...(shown.length > 0 ? [titled('Problems', shown.map(formatProblem).join('\n'))] : []),
    head,
  ].join('\n\n');
}
