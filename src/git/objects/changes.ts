import { isFolder, type TreeEntry } from './new-objects.ts';
import type { Objects } from './objects.ts';
import { parseTree } from './parse-tree.ts';

/** A file that differs between two trees. */
export interface FileChange {
  readonly path: string;
  /** Undefined: the file is new. */
  readonly before: string | undefined;
  /** Undefined: the file was deleted. */
  readonly after: string | undefined;
}

export interface TreePair {
  /** Undefined: there was nothing before. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Files that differ in each pair of trees, or only the one at `path`. Many pairs cost one read for each level of folders.
 */
export async function fileChanges(
  objects: Objects,
  pairs: readonly TreePair[],
  path?: string,
): Promise<readonly FileChange[][]> {
  const found: FileChange[][] = pairs.map(() => []);
  const known = new Map<string, readonly TreeEntry[]>();
  let open = pairs.map(({ before, after }, pair): Differing => ({ pair, prefix: '', before, after }));
  while (open.length > 0) {
    const wanted = open.flatMap(({ before, after }) => [before, after]).filter((oid) => oid !== undefined);
    const missing = [...new Set(wanted)].filter((oid) => !known.has(oid));
    for (const [oid, { content }] of await objects.read(missing)) known.set(oid, parseTree(content));
    const inner: Differing[] = [];
    for (const differing of open) {
      for (const { name, before, after } of differingEntries(differing, known)) {
        const here = differing.prefix + name;
        if (path !== undefined && path !== here && !path.startsWith(`${here}/`)) continue;
        const at = { pair: differing.pair, prefix: `${here}/` };
        const folders = { before: folder(before), after: folder(after) };
        if (folders.before ?? folders.after) inner.push({ ...at, ...folders });
        const files = { before: file(before), after: file(after) };
        if (files.before ?? files.after) found[differing.pair]!.push({ path: here, ...files });
      }
    }
    open = inner;
  }
  return found;
}

/** Two folders of the same path, of which one may be missing. */
interface Differing extends Pick<FileChange, 'before' | 'after'> {
  readonly pair: number;
  readonly prefix: string;
}

function* differingEntries({ before, after }: Differing, known: ReadonlyMap<string, readonly TreeEntry[]>) {
  const old = new Map(before === undefined ? [] : known.get(before)!.map((entry) => [entry.name, entry]));
  const now = new Map(after === undefined ? [] : known.get(after)!.map((entry) => [entry.name, entry]));
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    if (was?.oid !== is?.oid) yield { name, before: was, after: is };
  }
}

const folder = (entry: TreeEntry | undefined): string | undefined => (entry && isFolder(entry) ? entry.oid : undefined);
const file = (entry: TreeEntry | undefined): string | undefined => (entry && !isFolder(entry) ? entry.oid : undefined);
