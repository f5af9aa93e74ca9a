import { decode } from '../../repo/fleet/finding.ts';
import { usableFiles } from '../../repo/fleet/usable-files.ts';
import type { RepoTree, TreeFile } from '../../repo/tree.ts';
import { separatorsIn } from '../../repo/yaml/separators.ts';

/**
 * Limits for the manifests that one pull request adds or changes, together. Anyone who can push a branch chooses them, and they are parsed
 * in the process that reconciles: a value takes up to 10 µs and 1 KB (measured). Manifests have one for about 7 characters.
 */
export const addedLimits = { bytes: 8 * 1024 ** 2, values: 250_000, files: 20_000 };

/** Why the manifests that a merge result has beyond the followed commit are not parsed; undefined: they may be. */
export async function addedFault(merged: RepoTree, followed: RepoTree): Promise<string | undefined> {
  const added = await addedFiles(merged, followed);
  if (added.length > addedLimits.files) return `it adds ${added.length} manifests, of at most ${addedLimits.files}`;
  const oids = [...new Set(added.map(({ oid }) => oid))];
  const sizes = await merged.sizes?.(oids);
  const bytes = added.reduce((sum, { oid }) => sum + (sizes?.get(oid) ?? 0), 0);
  if (bytes > addedLimits.bytes)
    return `its new manifests have ${bytes} bytes together, of at most ${addedLimits.bytes}`;
  const contents = await merged.read(oids);
  const counts = new Map([...contents].map(([oid, content]) => [oid, separatorsIn(decode(content))]));
  const values = added.reduce((sum, { oid }) => sum + (counts.get(oid) ?? 0), 0);
  return values > addedLimits.values
    ? `its new manifests have ${values} commas, colons, brackets and the like together, of at most ${addedLimits.values}`
    : undefined;
}

/** By content, and each copy counts: a file that moved is not new, a second one with the same content is. */
async function addedFiles(merged: RepoTree, followed: RepoTree): Promise<readonly TreeFile[]> {
  const left = new Map<string, number>();
  for (const { oid } of (await usableFiles(followed)).files) left.set(oid, (left.get(oid) ?? 0) + 1);
  return (await usableFiles(merged)).files.filter(({ oid }) => {
    const count = left.get(oid) ?? 0;
    left.set(oid, count - 1);
    return count <= 0;
  });
}
