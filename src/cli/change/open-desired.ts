import type { Fleet } from '../../engine/input.ts';
import type { Branches } from '../../git/branches.ts';
import { locate } from '../../git/local/locate.ts';
import type { WorkingTree } from '../../git/local/working-files.ts';
import { originUrl } from '../../git/native/origin-url.ts';
import { noBranch } from '../../git/no-branch.ts';
import { requireFolder } from '../../git/objects/folder-of-tree.ts';
import { branchRef } from '../../git/source.ts';
import { loadFleet } from '../../repo/fleet/load-fleet.ts';
import { openClone } from '../fleet-repo/open-git.ts';

/** The branch of desired state, for a command that changes it. */
export interface Desired {
  readonly branches: Branches;
  /** `main` */
  readonly branch: string;
  readonly ref: string;
  readonly tip: string;
  /** Of the repo, that holds the fleet: see fleetFolder. */
  readonly folder: string;
  /** The places of its objects are in the repo, like the paths of edits. */
  readonly fleet: Fleet;
  /** Of a local repository that is not bare. */
  readonly workingTree: WorkingTree | undefined;
  /** The branch of a clone: its origin has the branch too, and does not see a commit before it is pushed. */
  readonly tracked: boolean;
  /** The address for pull requests: of the repository, or of the origin of a clone. */
  readonly address: string | undefined;
  /** Text of a file at the tip; undefined when there is none. */
  text(file: string): Promise<string | undefined>;
}

/** Opens it, uses it, closes it. Error: GitError, `not-found`, when there is no such branch. */
export async function withDesired<T>(
  options: { readonly repo: string; readonly path?: string; readonly branch: string },
  use: (desired: Desired) => Promise<T>,
): Promise<T> {
  const { path: folder = '' } = options;
  const branches = await openClone(options.repo);
  try {
    const ref = branchRef(options.branch);
    const tip = (await branches.list([ref])).get(ref);
    if (tip === undefined) throw await noBranch(branches, options.branch);
    await branches.obtain(ref, tip);
    await requireFolder(branches.objects, { folder, commit: tip, named: options.branch });
    const tree = await branches.objects.files(tip);
    const files = new Map((await tree.files()).map(({ path, oid }) => [path, oid]));
    const tracking = `refs/remotes/origin/${options.branch}`;
    const located = branches.remote ? undefined : await locate(branches.name);
    const tracked = !branches.remote && (await branches.list([tracking])).size > 0;
    return await use({
      branches,
      branch: options.branch,
      ref,
      tip,
      folder,
      fleet: placedIn(folder, await loadFleet(await branches.objects.files(tip, folder))),
      tracked,
      address: branches.remote ? branches.name : tracked ? await originUrl(branches.name) : undefined,
      workingTree: located && !located.bare ? { dir: branches.name, gitDir: located.gitDir } : undefined,
      async text(file) {
        const oid = files.get(file);
        return oid === undefined ? undefined : Buffer.from((await tree.read([oid])).get(oid)!).toString('utf8');
      },
    });
  } finally {
    await branches.close();
  }
}

const placedIn = (folder: string, fleet: Fleet): Fleet => ({
  ...fleet,
  sources: new Map([...(fleet.sources ?? [])].map(([key, at]) => [key, { ...at, file: folder + at.file }])),
});
