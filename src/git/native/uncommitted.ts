import { filtersOff } from './filters-off.ts';
import { git, hasGit } from './run-git.ts';

/**
 * YAML and JSON files of a working tree that differ from HEAD or are not in it, without ignored files. None if git is not
 * installed or does not trust the folder: this is for a note, not for a decision.
 */
export async function uncommittedFiles(dir: string): Promise<readonly string[]> {
  if (!(await hasGit())) return [];
  const status = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'];
  // Submodules have configurations of their own.
  const ran = await git(['-C', dir, ...status, '--ignore-submodules=all'], { environment: await filtersOff(dir) });
  if (ran.code !== 0) return [];
  return ran.stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.slice('XY '.length))
    .filter((path) => /\.(ya?ml|json)$/i.test(path) && !path.split('/').some((part) => part.startsWith('.')));
}
