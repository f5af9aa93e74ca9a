import type { ObjectRef } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { writtenRef } from '../../api/written-ref.ts';
import type { RepoTree, TreeFile } from '../tree.ts';
import type { ParsedFile } from '../yaml/parse-yaml.ts';
import { decode, type Placed } from './finding.ts';
import type { LoadCache } from './load-cache.ts';
import { parseAll } from './parse-pool.ts';
import type { UsableFiles } from './usable-files.ts';

export interface Documents {
  readonly placed: readonly Placed[];
  readonly problems: readonly Problem[];
  /** Objects in refused documents, as far as they can be identified. */
  readonly refused: readonly ObjectRef[];
  /** Files that may contain unidentified objects. */
  readonly unreadable: readonly string[];
}

/** Parses files that the cache lacks, and lists the objects that each broken file holds. */
export async function readDocuments(tree: RepoTree, usable: UsableFiles, cache: LoadCache): Promise<Documents> {
  const { files, colliding } = usable;
  await parseMissing(tree, files, cache);
  const placed: Placed[] = [];
  const problems: Problem[] = [];
  const refused: ObjectRef[] = [];
  const unreadable: string[] = [];
  const hold = (path: string, refs: readonly (ObjectRef | undefined)[] | undefined): void => {
    refused.push(...(refs ?? []).flatMap((ref) => ref ?? []));
    if (refs === undefined || refs.includes(undefined)) unreadable.push(path);
  };
  for (const { path, oid } of files) {
    const { documents, broken, problems: own } = cache.get(oid) ?? notThere;
    if (broken && concernsFleet(path, broken)) {
      for (const problem of own) problems.push({ ...problem, file: path });
      hold(path, broken.refs);
    }
    if (colliding.has(path))
      hold(
        path,
        documents.map(({ value }) => writtenRef(value as object)),
      );
    else for (const { value, line } of documents) placed.push({ value: value as object, file: path, line, inside: [] });
  }
  return { placed, problems, refused, unreadable };
}

async function parseMissing(tree: RepoTree, files: readonly TreeFile[], cache: LoadCache): Promise<void> {
  const missing = new Map(
    files.flatMap(({ oid, path }) => (cache.get(oid) === undefined ? [[oid, path] as const] : [])),
  );
  for (const portion of await portionsOf(tree, [...missing.keys()])) {
    const contents = await tree.read(portion);
    const texts = portion.flatMap((oid) => {
      const bytes = contents.get(oid);
      return bytes ? [{ oid, file: missing.get(oid)!, text: decode(bytes) }] : [];
    });
    for (const [oid, parsed] of await parseAll(texts)) cache.put(oid, { ...parsed, size: contents.get(oid)!.length });
  }
  await cache.flush(new Set(files.map(({ oid }) => oid)));
}

/** Limit for bytes in memory as contents and text at the same time. Most fleets fit. */
const portionBytes = 64 * 1024 ** 2;

async function portionsOf(tree: RepoTree, oids: readonly string[]): Promise<string[][]> {
  const sizes = await tree.sizes?.(oids);
  if (sizes === undefined) return [[...oids]];
  const portions: string[][] = [[]];
  let size = 0;
  for (const oid of oids) {
    size += sizes.get(oid) ?? 0;
    if (size > portionBytes && portions.at(-1)!.length > 0) {
      portions.push([]);
      size = sizes.get(oid) ?? 0;
    }
    portions.at(-1)!.push(oid);
  }
  return portions;
}

/** A listed file without contents may define anything. */
const notThere: ParsedFile = {
  documents: [],
  problems: [
    {
      severity: 'error',
      code: 'contents-missing',
      line: 1,
      column: 1,
      message: 'the contents of this file are missing',
      fix: 'fetch the whole repo, without filters',
    },
  ],
  broken: { wellFormed: false, mentionsFleet: true },
};

/**
 * False for files that are not fleet input: outside resources/, for example workflows, templates of other programs, lock files. An
 * invalid YAML file without identifiable contents may be anything, so it counts.
 */
function concernsFleet(
  path: string,
  { wellFormed, mentionsFleet, refs, tooLarge }: NonNullable<ParsedFile['broken']>,
): boolean {
  if (path.startsWith('resources/') || mentionsFleet) return true;
  return !wellFormed && !tooLarge && (refs === undefined || refs.length === 0);
}
