import type { RecordFolder } from '../../engine/input.ts';
import { sha256 } from '../sha256.ts';
import { entriesOf, readsFile, recordFolder } from './folders/rows.ts';

/** The place of a file in the record. */
export interface RecordPath {
  readonly directory: RecordFolder;
  /** `[ns.]name` of the entry. */
  readonly name: string;
  /** Path inside the entry's own folder; empty if the entry is one file. */
  readonly rest: string;
}

/**
 * Parses a path of the status branch, sharded (`placements/3f/web/state.yaml`) or not. Names may look like a shard (`fe`, `db`), so a
 * folder of two hex digits is one only if the name below has that digest. Undefined = not a file of the record.
 */
export function recordPathOf(path: string): RecordPath | undefined {
  const [first, ...parts] = path.split('/');
  const directory = recordFolder(first);
  if (directory === undefined || parts.length === 0) return undefined;
  const least = entriesOf(directory) === 'folders' ? 3 : 2;
  const sharded = parts.length >= least && isShard(parts[0]!) && shardOf(withoutEnding(parts[1]!)) === parts[0];
  const [name, ...rest] = sharded ? parts.slice(1) : parts;
  if (rest.length > 0) return { directory, name: name!, rest: rest.join('/') };
  return name!.endsWith('.yaml') ? { directory, name: withoutEnding(name!), rest: '' } : undefined;
}

/** Whether a file of the status branch is read. Others need not have a size that can be read. */
export function isRead(path: string): boolean {
  const place = recordPathOf(path);
  return place === undefined ? topFiles.has(path) : readsFile(place.directory, place.rest);
}

const topFiles: ReadonlySet<string> = new Set(['README.md', 'summary.yaml', 'daemon.yaml', 'fleet.yaml']);

/** Whether a file shows what merging a pull request would do. Such files are only read by people. */
export const isPreview = (path: string): boolean => path.startsWith('previews/');

/**
 * The folder of a path that the record does not have: a newer gitfleet may have written it. Undefined for top-level files and for
 * folders that begin with a dot, which other programs use.
 */
export function unknownFolderOf(path: string): string | undefined {
  const [first, ...rest] = path.split('/');
  return rest.length === 0 || first!.startsWith('.') || recordFolder(first) !== undefined ? undefined : first;
}

const isShard = (part: string): boolean => /^[0-9a-f]{2}$/.test(part);

/** Names come back with every reading of a record. */
const shards = new Map<string, string>();
const mostShards = 100_000;

function shardOf(name: string): string {
  const known = shards.get(name);
  if (known !== undefined) return known;
  if (shards.size >= mostShards) shards.clear();
  const shard = sha256(name).slice(0, 2);
  shards.set(name, shard);
  return shard;
}

const withoutEnding = (part: string): string => part.replace(/\.yaml$/, '');
