import type { FleetRecord } from '../../engine/input.ts';
import { GitError } from '../../git/git-error.ts';
import type { Person } from '../../git/person.ts';
import type { DesiredState } from '../ports.ts';
import { readableName } from './readable-name.ts';

/**
 * Who wrote the commit of the plan and those of the snapshots that clusters of changed placements have or get, by commit. Commits of
 * gitfleet itself, and those that cannot be read, have no author: a name is no condition.
 */
export async function snapshotAuthors(
  { before, after, commit }: { readonly before: FleetRecord; readonly after: FleetRecord; readonly commit: string },
  { desired, author: own }: { readonly desired: Pick<DesiredState, 'authorOf'>; readonly author: Person },
): Promise<ReadonlyMap<string, string>> {
  const snapshots = [...after.placements].flatMap(([key, { state }]) => {
    if (before.placements.get(key)?.state === state) return [];
    const used = new Set(state.bindings.map(({ resourceSnapshotIndex }) => resourceSnapshotIndex));
    return state.resourceSnapshots.filter(({ index }) => used.has(index));
  });
  const commits = new Set([commit, ...snapshots.flatMap((snapshot) => snapshot.commit ?? [])]);
  const authors = new Map<string, string>();
  for (const each of commits) {
    const found = await desired.authorOf(each).catch((error: unknown) => {
      if (error instanceof GitError) return undefined;
      throw error;
    });
    if (found === undefined || (found.name === own.name && found.email === own.email)) continue;
    const name = readableName(found.name);
    if (name !== '') authors.set(each, name);
  }
  return authors;
}
