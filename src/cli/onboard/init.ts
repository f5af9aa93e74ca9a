import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { git, gitOrThrow, hasGit } from '../../git/native/run-git.ts';
import { makeDirectory } from '../../repo/make-directory.ts';
import { enclosingClone } from '../fleet-repo/open-git.ts';
import { CliError } from '../terminal/exit.ts';
import { unreadable } from '../terminal/file-errors.ts';
import { print } from '../terminal/output.ts';
import { firstFiles } from './first-files.ts';
import { nextCommand } from './next-command.ts';

/**
 * Writes a small fleet into an empty or new directory, which becomes a repo unless it is in one, and prints the next commands. Commits
 * nothing.
 */
export async function init(dir: string): Promise<void> {
  const root = resolve(dir);
  if (!(await hasGit())) throw new CliError('a fleet repo needs the git program, which is not installed here');
  const there = await readdir(root).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? ([] as string[]) : unreadable(dir)(error),
  );
  if (there.some((name) => name !== '.git'))
    throw new CliError(`${root} is not empty: name a new directory, or copy files by hand`);
  await makeDirectory(root);
  const clone = await enclosingClone(root);
  // A repository that was just created or cloned stays as it is, and so does one that gets a fleet in a folder.
  if (clone === undefined) await gitOrThrow(['init', '--quiet', '--initial-branch=main', root]);
  const branch = clone === undefined ? 'main' : await branchOf(clone);
  const files = firstFiles(branch);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text, { flag: 'wx' });
  }
  const inside = relative(process.cwd(), clone ?? root);
  const folder = clone === undefined ? '' : relative(clone, root).replaceAll('\\', '/');
  // Relative to the repo, where its .gitignore has it.
  const members = join(folder, 'kubeconfigs');
  const path = folder === '' ? '' : ` --path ${folder}`;
  const of = { path: folder, branch };
  const joined = nextCommand('join CONTEXT --name eu-1', { ...of, ...(folder && { members }) });
  print(
    [
      folder === '' ? `${root} is a fleet repo now:` : `${clone} has a fleet in ${folder} now:`,
      ...Object.keys(files).map((path) => `  ${path}`),
      'Next:',
      ...(inside === '' ? [] : [`  cd ${inside.startsWith('..') ? (clone ?? root) : inside}`]),
      `  git add ${folder || '.'} && git commit -m "First version"`,
      `  gitfleet validate${path} && gitfleet plan${path}`,
      `  ${joined}        CONTEXT: a context of your kubeconfig`,
      `  ${nextCommand('check', { ...of, members })}`,
      `  ${nextCommand('run', { ...of, members })}       Ctrl-C stops it`,
    ].join('\n'),
  );
}

/** The branch that is checked out; `main` where none is. */
async function branchOf(clone: string): Promise<string> {
  const { code, stdout } = await git(['-C', clone, 'symbolic-ref', '--quiet', '--short', 'HEAD']);
  return (code === 0 && stdout.toString('utf8').trim()) || 'main';
}
