import { stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fleetFolder } from '../../git/fleet-folder.ts';
import { git, hasGit } from '../../git/native/run-git.ts';
import { enclosingClone } from './open-git.ts';

/**
 * What a command without `--repo` means in a folder below the top of a clone, as git itself finds the clone: the fleet of the nearest
 * folder with a fleet.yaml, or the whole clone. Undefined elsewhere, and where nothing in the folder is committed: that is read as it is.
 */
export async function fleetAround(
  folder: string,
): Promise<{ readonly repo: string; readonly path: string } | undefined> {
  const repo = await enclosingClone(folder);
  if (repo === undefined || repo === folder || !(await hasGit())) return undefined;
  const { code, stdout } = await git(['-C', folder, 'ls-tree', '--name-only', 'HEAD']);
  if (code !== 0 || stdout.length === 0) return undefined;
  for (let at = folder; at !== repo; at = dirname(at))
    if (await stat(join(at, 'fleet.yaml')).catch(() => undefined))
      return { repo, path: fleetFolder(relative(repo, at)) };
  return { repo, path: '' };
}
