import { sha256 } from '../sha256.ts';

/** Entries of these are folders, of the others files. */
const ofFolders: ReadonlySet<string> = new Set(['placements', 'overrides']);
const directories = ['placements', 'overrides', 'runs', 'approvals', 'evictions', 'clusters'] as const;

/** Where a file of the status branch belongs. */
export interface RecordPath {
  readonly directory: (typeof directories)[number];
  /** `[ns.]name` of the entry. */
  readonly name: string;
  /** Path inside the entry's own folder; empty where the entry is one file. */
  readonly rest: string;
}

/**
 * Reads a path of the status branch, sharded (`placements/3f/web/state.yaml`) or not. Names may look like a shard (`fe`, `db`):
 * a folder of two hex digits is one only when the name below it has that digest. Undefined = none of the record's files.
 */
export function recordPathOf(path: string): RecordPath | undefined {
  const [first, ...parts] = path.split('/');
  const directory = directories.find((known) => known === first);
  if (directory === undefined || parts.length === 0) return undefined;
  const least = ofFolders.has(directory) ? 3 : 2;
  const sharded = parts.length >= least && isShard(parts[0]!) && shardOf(withoutEnding(parts[1]!)) === parts[0];
  const [name, ...rest] = sharded ? parts.slice(1) : parts;
  if (rest.length > 0) return { directory, name: name!, rest: rest.join('/') };
  return name!.endsWith('.yaml') ? { directory, name: withoutEnding(name!), rest: '' } : undefined;
}

const isShard = (part: string): boolean => /^[0-9a-f]{2}$/.test(part);

const shardOf = (name: string): string => sha256(name).slice(0, 2);

const withoutEnding = (part: string): string => part.replace(/\.yaml$/, '');
