import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { git, hasGit } from '../../git/native/run-git.ts';
import type { Endpoint } from '../../members/api-server/kubeconfig.ts';
import { makeDirectory } from '../../repo/make-directory.ts';
import { enclosingClone } from '../fleet-repo/open-git.ts';
import { CliError } from '../terminal/exit.ts';

const firstLine = '# Written by gitfleet join: it may be replaced by the next one.';

/** The kubeconfig of gitfleet for a member: the account there, by its token. */
export async function memberKubeconfig(name: string, endpoint: Endpoint, token: string): Promise<string> {
  const { stringify } = await import('yaml');
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: endpoint }],
    users: [{ name: 'gitfleet', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'gitfleet' } }],
    'current-context': name,
  };
  return `${firstLine}\n${stringify(document, { lineWidth: 0 })}`;
}

/**
 * Where the kubeconfig of a member is to be written. Errors: CliError where git would take it into a commit, and where a kubeconfig of
 * another hand is.
 */
export async function kubeconfigPath(dir: string, name: string): Promise<string> {
  const path = join(dir, `${name}.yaml`);
  const clone = await enclosingClone(dirname(path));
  if (clone !== undefined && !(await isIgnored(clone, path)))
    throw new CliError(
      `${path} would be in the git repository ${clone}, with a token in it: add the line ${ignoreLine(clone, path)} to ${join(clone, '.gitignore')}, or name another directory with --members`,
    );
  const there = await textOf(path);
  if (there !== undefined && !there.startsWith(firstLine))
    throw new CliError(
      `${path} is there, and gitfleet join did not write it: move it away, or name another --name or --members`,
    );
  return path;
}

/** For the .gitignore at the root of the clone: the directory, or the file where that is the root itself. */
const ignoreLine = (clone: string, path: string): string => {
  const folder = relative(clone, dirname(path)).replaceAll('\\', '/');
  return folder === '' ? `/${basename(path)}` : `/${folder}/`;
};

/** Readable only for its owner. False when it is there already, just so. */
export async function writeKubeconfig(path: string, text: string): Promise<boolean> {
  if ((await textOf(path)) === text) return false;
  await makeDirectory(dirname(path), 0o700);
  // In one step: a daemon may read it at any time. Files that begin with a dot are no kubeconfigs to it.
  const draft = join(dirname(path), `.${process.pid}.new`);
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
  return true;
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

const isIgnored = async (clone: string, path: string): Promise<boolean> =>
  (await hasGit()) && (await git(['-C', clone, 'check-ignore', '--quiet', path])).code === 0;
