import { outputFormat, print, printJson, printYaml } from '../terminal/output.ts';
import { writeError } from '../terminal/write.ts';
import type { Desired } from './open-desired.ts';
import { requestUrl } from './request-url.ts';
import { type Change, submit } from './submit.ts';

export interface ChangeOptions {
  readonly repo: string;
  readonly branch: string;
  readonly dryRun?: boolean;
  readonly gitAuthor?: string;
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
  { options, said }: { readonly options: ChangeOptions; readonly said: ChangeSummary },
): Promise<void> {
  const format = outputFormat(options.output, ['table', 'json', 'yaml']);
  const { notes } = said;
  const files = [...change.edits].map(([path, content]) => ({
    path,
    ...(content === undefined ? { deleted: true } : { content }),
  }));
  const submitted = options.dryRun ? undefined : await submit(desired, { ...change, author: options.gitAuthor });
  const made = options.dryRun ? files.length > 0 : submitted !== undefined;
  const next = submitted && (change.branch === undefined ? pushed(desired) : nextStep(desired, submitted.branch));
  if (format !== 'table') {
    const document = {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'Change',
      summary: made ? said.done : said.already,
      dryRun: options.dryRun ?? false,
      branch: submitted?.branch,
      commit: submitted?.commit,
      files,
      notes,
      next: next?.commands,
    };
    return format === 'json' ? printJson(document) : printYaml(document);
  }
  for (const note of notes) writeError(`note: ${note}\n`);
  if (!made) return print(said.already);
  if (!submitted) return print(files.map(fileText).join(''));
  print(`${said.done}: commit ${submitted.commit.slice(0, 12)} on ${submitted.branch}`);
  for (const file of files) print(`  ${file.path}${'deleted' in file ? ' (removed)' : ''}`);
  if (next) print([next.sentence, ...next.commands.map((line) => `  ${line}`)].join('\n'));
}

interface NextStep {
  readonly sentence: string;
  readonly commands: string[];
}

/** A commit in a clone is seen by nobody who reads what it was cloned from. */
const pushed = ({ branches, branch, tracked }: Desired): NextStep | undefined =>
  tracked
    ? {
        sentence: 'If gitfleet run reads origin, the commit has no effect until it is pushed:',
        commands: [`git -C ${branches.name} push origin ${branch}`],
      }
    : undefined;

/**
 * A plain git server knows no pull requests: merging is the same there. A branch that is merged has served. In a clone the
 * branch is only there: nobody can open a request for it before it is pushed.
 */
function nextStep({ branches, branch, fleet, tracked, address }: Desired, from: string): NextStep {
  const url = requestUrl(fleet.config?.spec.forge, { from, into: branch, address });
  const git = `git -C ${branches.name}`;
  const push = tracked ? [`${git} push -u origin ${from}`] : [];
  const merge = branches.remote
    ? `git fetch origin && git checkout ${branch} && git merge origin/${from} && git push origin ${branch} :${from}`
    : `${git} merge ${from} && ${tracked ? `${git} push origin ${branch} && ` : ''}${git} branch -d ${from}`;
  const ask = [
    ...(tracked ? ['push it for a pull request'] : []),
    ...(url === undefined ? [] : [tracked ? 'open that here' : 'open the request here']),
  ].join(' and ');
  return {
    sentence: `Nothing happens until it is merged into ${branch}${ask && `; ${ask}, or merge it by hand`}:`,
    commands: [...push, ...(url === undefined ? [] : [url]), merge],
  };
}

function fileText(file: { readonly path: string; readonly content?: string }): string {
  if (file.content === undefined) return `# ${file.path} is removed\n`;
  return `# ${file.path}\n${file.content.startsWith('---') ? '' : '---\n'}${file.content}`;
}
