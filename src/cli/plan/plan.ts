import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ClusterName } from '../../api/meta.ts';
import { contactOf } from '../../daemon/pass/last-contact.ts';
import { wholeRecord } from '../../daemon/record/publication.ts';
import type { PlanInput } from '../../engine/input.ts';
import { formatInstant } from '../../engine/kernel/instant.ts';
import { planFleet } from '../../engine/plan.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { overlappingPlacements } from '../../repo/fleet/overlapping-placements.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { makeDirectory } from '../../repo/make-directory.ts';
import type { UnreachableMember } from '../../repo/record/daemon-memory.ts';
import { type StatusText, unpacked } from '../../repo/record/status-text.ts';
import { currenciesOf } from '../../report/money.ts';
import { actionsOf, isToDo, type PlannedAction, withReapply } from '../../report/placements/planned-actions.ts';
import { wholeSeconds } from '../../report/whole-seconds.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import type { WhatIfFlags } from '../what-if/changes.ts';
import { whatIfText } from '../what-if/text.ts';
import { isSupposed, whatIf } from '../what-if/what-if.ts';
import { type PlanOptions, withPlanInput } from './input.ts';
import { planMarkdown } from './markdown.ts';
import { printedTargets } from './printed-targets.ts';
import { planTable } from './table.ts';

/**
 * Prints the plan document in every case; the exit code reports its outcome. With a what-if flag it is the plan of the
 * supposed fleet, with a section `whatIf` that compares it with the plan of the real one.
 */
export async function plan(
  options: PlanOptions &
    WhatIfFlags & { readonly output: string; readonly outRecorded?: string; readonly all?: boolean },
): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml', 'markdown']);
  if (isSupposed(options) && options.outRecorded !== undefined)
    throw new CliError(
      '--out-recorded: a hypothetical plan is not recorded: leave it out, or leave out the what-if flags',
    );
  const { input, context, supposed, result, plan } = await withPlanInput(options, async (input, context) => {
    const supposed = isSupposed(options) ? whatIf(input, options) : undefined;
    const result = supposed?.result ?? planFleet(input);
    const found = [...result.plan.problems, ...overlappingPlacements(result.plan, input.fleet)];
    const problems = await placeProblems(found, async () => context.tree);
    return { input, context, supposed, result, plan: { ...result.plan, problems } };
  });
  const { notRolledOut } = result;
  // Hundreds of megabytes for a large fleet: made only where it is printed or written.
  const record = () =>
    wholeRecord(plan, {
      branch: options.ref ?? 'main',
      unreachable: unreachable(input),
      notRolledOut,
      before: { record: input.record, files: plan.record },
      fleet: input.fleet,
    });
  if (options.outRecorded !== undefined) await writeFiles(options.outRecorded, record());
  const currencies = currenciesOf(input.fleet);
  const actions = actionsOf(result, input.record);
  // What is reviewed stands in summary.yaml of the record.
  const { removals: _, ...printed } = plan;
  const document = () => ({
    ...withReapply(printed, actions),
    ...printedTargets(plan),
    approvals: plan.approvals.map(({ planned }) => planned),
    ...(supposed ? { whatIf: supposed.whatIf } : {}),
    record: Object.fromEntries([...record()].map(([path, text]) => [path, unpacked(text)])),
  });
  if (format === 'json') printJson(document());
  else if (format === 'yaml') await printYaml(document());
  else if (format === 'markdown')
    print(planMarkdown(plan, actions, { supposed: supposed?.whatIf.changes ?? [], currencies }));
  else
    print(
      supposed
        ? whatIfText(supposed.whatIf, plan)
        : wholeSeconds(
            planTable(plan, {
              actions,
              all: options.all ?? false,
              from: context.from,
              notRolledOut,
              withoutStatus: input.observations ? 0 : input.fleet.members.filter(({ status }) => !status).length,
              withRecordedStatus: context.withRecordedStatus,
              currencies,
              hasMembers: input.fleet.members.length > 0,
              isObserved: input.observations !== undefined,
            }),
          ),
    );
  const code = exitCodeOf(plan, actions);
  if (code !== exitCodes.nothingToDo) throw new CliError('', code, { silent: true });
}

/** Members that were observed and did not respond. */
const unreachable = ({ observations = new Map() }: PlanInput): Map<ClusterName, UnreachableMember> =>
  new Map(
    [...observations]
      .filter(([, { reachable }]) => !reachable)
      .map(([name, observation]): [ClusterName, UnreachableMember] => {
        const at = contactOf(observation);
        return [
          name,
          { cause: observation.cause ?? 'no response', ...(at !== undefined && { lastContact: formatInstant(at) }) },
        ];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/**
 * 2 with errors, else 4 when refused, else 1 when a member has anything to do, is released, is being upgraded or loses nodes, else 0. What
 * is only decided, waited for or reported in a status is nothing to do; warnings never count.
 */
function exitCodeOf(plan: Plan, actions: readonly PlannedAction[]): number {
  if (plan.problems.some((problem) => problem.severity === 'error')) return exitCodes.invalidInput;
  if (plan.guard.length > 0) return exitCodes.refused;
  const isUpgrading = plan.targets.some((target) => 'upgrade' in target);
  const isDisrupting = plan.nodes.some(({ commands }) => commands.some(({ phase }) => phase !== 'Proposed'));
  return isUpgrading || isDisrupting || actions.some(isToDo) ? exitCodes.somethingToDo : exitCodes.nothingToDo;
}

async function writeFiles(root: string, files: ReadonlyMap<string, StatusText>): Promise<void> {
  for (const [path, text] of files) {
    const file = join(root, path);
    await makeDirectory(dirname(file));
    await writeFile(file, unpacked(text));
  }
}
