import { GitError } from './git-error.ts';

/**
 * The folder of a repo that holds the fleet, as `--path` names it: `apps/fleet/`, or nothing for the whole repo. Everything that
 * reads or writes files of the fleet goes through it. Error `bad-address` for what leads out of the repo.
 */
export function fleetFolder(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  const named = parts.filter((part) => part !== '' && part !== '.');
  if (path.startsWith('/') || path.startsWith('\\') || named.includes('..') || /^[a-z]:/i.test(path))
    throw new GitError('bad-address', `--path ${path} leads out of the repo: name a folder inside, such as apps/fleet`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no path of a fleet holds one
  if (named.includes('.git') || /[\x00-\x1f\x7f]/.test(path))
    throw new GitError('bad-address', `--path ${path} is no folder of files: name one such as apps/fleet`);
  return named.map((part) => `${part}/`).join('');
}
