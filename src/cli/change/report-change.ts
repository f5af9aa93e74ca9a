import { lineDiff } from '../../repo/diff/lines.ts';
import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { writeError } from '../terminal/write.ts';
import type { Desired } from './open-desired.ts';
import { pushChange, refuseUnpushable, unpushed } from './push-change.ts';
import { requestUrl } from './request-url.ts';
import { type Change, type Submitted, submit } from './submit.ts';

export interface ChangeOptions {
  readonly repo: string;
  readonly path?: string;
  readonly branch: string;
  readonly dryRun?: boolean;
  readonly gitAuthor?: string;
  /** Push the commit of a clone to its origin. */
  readonly push?: boolean;
  readonly output: string;
}

/** What a command reports besides the files of its change. */
export interface ChangeSummary {
  /** What the change does, one sentence: `eu-1 is cordoned, web leaves it`. */
  readonly done: string;
  /** Reported instead when the repo already has the change. */
  readonly already: string;
  /** For the user: what stays, what will come back. */
  readonly notes: readonly string[];
}

/** Shows a change (`--dry-run`) or makes it, and prints the next step. Notes go to stderr. */
export async function reportChange(
  desired: Desired,
  change: Omit<Change, 'author'>,
  {
    options,
    summary,
    make = submit,
  }: { readonly options: ChangeOptions; readonly summary: ChangeSummary; readonly make?: typeof submit },
): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const { notes } = summary;
  const files = [...change.edits].map(([path, content]) => ({
    path,
    ...(content === undefined ? { deleted: true } : { content }),
  }));
  const isPushed = options.push === true && !options.dryRun;
  if (isPushed) await refuseUnpushable(desired);
  const submitted = options.dryRun ? undefined : await make(desired, { ...change, author: options.gitAuthor });
  // A push that failed is retried by the same command.
  const mayBeAhead = submitted === undefined && !options.dryRun && (isPushed || desired.tracked);
  const ahead = mayBeAhead ? await unpushed(desired) : undefined;
  const toPush = submitted ?? ahead;
  if (isPushed && toPush) await pushChange(desired, toPush);
  const made = options.dryRun ? files.length > 0 : submitted !== undefined;
  const next = submitted
    ? nextStepOf(desired, change, { ...submitted, isPushed })
    : ahead && !isPushed
      ? pushStep(desired, false)
      : undefined;
  if (format !== 'table') {
    const document = {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'Change',
      summary: made ? summary.done : summary.already,
      dryRun: options.dryRun ?? false,
      branch: submitted?.branch,
      commit: submitted?.commit,
      pullRequest: submitted?.pullRequest,
      ...(options.push !== undefined && { pushed: toPush !== undefined && isPushed }),
      files,
      notes,
      next: next?.commands,
    };
    return format === 'json' ? printJson(document) : printYaml(document);
  }
  for (const note of notes) writeError(`note: ${note}\n`);
  if (options.dryRun && made) return print((await Promise.all(files.map((file) => fileText(desired, file)))).join(''));
  if (submitted) printSubmitted(submitted, summary.done, { files, isPushed });
  else if (isPushed && ahead)
    print(`${summary.already}: commit ${ahead.commit!.slice(0, 12)} on ${ahead.branch}, pushed to origin`);
  else print(summary.already);
  if (next) print([next.sentence, ...next.commands.map((line) => `  ${line}`)].join('\n'));
}

function printSubmitted(
  submitted: Submitted,
  done: string,
  { files, isPushed }: { readonly files: readonly { readonly path: string }[]; readonly isPushed: boolean },
): void {
  const { branch, commit = '', pullRequest: merged } = submitted;
  const how = merged
    ? `${merged.number} merged into ${branch}, ${merged.url}`
    : `commit ${commit.slice(0, 12)} on ${branch}${isPushed ? ', pushed to origin' : ''}`;
  print(`${done}: ${how}`);
  for (const file of files) print(`  ${file.path}${'deleted' in file ? ' (removed)' : ''}`);
}

/** Nothing is to be done. */
export async function printUnchanged(summary: string, output: string): Promise<void> {
  const format = outputFormat(output, ['table', 'json', 'yaml']);
  const document = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'Change',
    summary,
    dryRun: false,
    files: [],
    notes: [],
  };
  if (format === 'table') return print(summary);
  return format === 'json' ? printJson(document) : printYaml(document);
}

interface NextStep {
  readonly sentence: string;
  readonly commands: string[];
}

function nextStepOf(
  desired: Desired,
  change: Omit<Change, 'author'>,
  { branch, pullRequest, isPushed }: Submitted & { readonly isPushed: boolean },
): NextStep | undefined {
  if (pullRequest) return undefined;
  if (change.branch !== undefined) return nextStep(desired, branch, isPushed);
  return isPushed || !desired.tracked ? undefined : pushStep(desired, true);
}

/** A daemon that reads the origin does not see a commit in a clone. */
const pushStep = ({ branches, branch }: Desired, isNew: boolean): NextStep => ({
  sentence: isNew
    ? 'If gitfleet run reads origin, the commit has no effect until it is pushed:'
    : `${branch} has earlier commits that origin does not have. If gitfleet run reads origin, push them:`,
  commands: [`git -C ${branches.name} push origin ${branch}`],
});

/**
 * How to merge the branch. A plain git server has no pull requests, so merging by hand works too, and the merged branch can be
 * deleted. A branch in a clone must be pushed before a pull request can be opened for it.
 */
function nextStep({ branches, branch, fleet, tracked, address }: Desired, from: string, isPushed: boolean): NextStep {
  const url = requestUrl(fleet.config?.spec.forge, { from, into: branch, address });
  const git = `git -C ${branches.name}`;
  const push = tracked && !isPushed ? [`${git} push -u origin ${from}`] : [];
  const merge = branches.remote
    ? `git fetch origin && git checkout ${branch} && git merge origin/${from} && git push origin ${branch} :${from}`
    : `${git} merge ${from} && ${tracked ? `${git} push origin ${branch}${isPushed ? ` :${from}` : ''} && ` : ''}${git} branch -d ${from}`;
  const ask = [
    ...(push.length > 0 ? ['push it for a pull request'] : []),
    ...(url === undefined ? [] : [push.length > 0 ? 'open that here' : 'open the request here']),
  ].join(' and ');
  return {
    sentence: `Nothing happens until it is merged into ${branch}${ask && `; ${ask}, or merge it by hand`}:`,
    commands: [...push, ...(url === undefined ? [] : [url]), merge],
  };
}

/** A new file as it is; of a file that is there, only the change with a few lines around it. */
async function fileText(
  desired: Desired,
  { path, content }: { readonly path: string; readonly content?: string },
): Promise<string> {
  if (content === undefined) return `# ${path} is removed\n`;
  const before = await desired.text(path);
  if (before !== undefined) return `# ${path}\n${lineDiff(before, content)}\n`;
  return `# ${path}\n${content.startsWith('---') ? '' : '---\n'}${content}`;
}
