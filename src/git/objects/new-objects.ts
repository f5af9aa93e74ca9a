import { createHash } from 'node:crypto';
import { constants, deflateSync } from 'node:zlib';
import type { Person } from '../person.ts';

/** An object to be written: its bytes without git's header. */
export interface NewObject {
  readonly oid: string;
  readonly type: 'commit' | 'tree' | 'blob';
  readonly content: Buffer;
}

export interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

/** An object with its id: the SHA-1 of git's header and the content. */
export function newObject(type: NewObject['type'], content: Buffer): NewObject {
  const oid = createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
  return { oid, type, content };
}

/** Entries in git's order: by bytes of the name, a folder as if its name ended in a slash. */
export function newTree(entries: readonly TreeEntry[]): NewObject {
  const keyed = entries.map((entry) => ({ entry, key: Buffer.from(isFolder(entry) ? `${entry.name}/` : entry.name) }));
  keyed.sort((a, b) => Buffer.compare(a.key, b.key));
  const parts = keyed.flatMap(({ entry }) => [
    Buffer.from(`${entry.mode} ${entry.name}\0`),
    Buffer.from(entry.oid, 'hex'),
  ]);
  return newObject('tree', Buffer.concat(parts));
}

/** Whether an entry of a tree is a tree. */
export const isFolder = (entry: { readonly mode: string }): boolean => entry.mode === '40000';

/** A commit whose author is its committer, in UTC. */
export function newCommit(input: {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Person;
  /** Milliseconds since the epoch. */
  readonly at: number;
}): NewObject {
  const who = `${input.author.name} <${input.author.email}> ${Math.floor(input.at / 1000)} +0000`;
  const lines = [
    `tree ${input.tree}`,
    ...input.parents.map((parent) => `parent ${parent}`),
    `author ${who}`,
    `committer ${who}`,
    '',
    input.message.trimEnd(),
    '',
  ];
  return newObject('commit', Buffer.from(lines.join('\n')));
}

/** A file or a folder of a tree. */
export type Kept = Pick<TreeEntry, 'mode' | 'oid'>;

/** The content of a file: its text, its blob, or an object that exists. */
export type Content = string | NewObject | Kept;

/** Files by path as a tree: all its new objects, folders after their contents, the root last. */
export function newFileTree(files: ReadonlyMap<string, Content>): NewObject[] {
  interface Folder {
    readonly folders: Map<string, Folder>;
    readonly entries: TreeEntry[];
  }
  const objects: NewObject[] = [];
  const root: Folder = { folders: new Map(), entries: [] };
  for (const [path, content] of files) {
    const parts = path.split('/');
    const name = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      const inner = folder.folders.get(part) ?? { folders: new Map(), entries: [] };
      folder.folders.set(part, inner);
      folder = inner;
    }
    if (typeof content === 'object' && 'mode' in content) {
      folder.entries.push({ ...content, name });
      continue;
    }
    const blob = typeof content === 'string' ? newObject('blob', Buffer.from(content)) : content;
    objects.push(blob);
    folder.entries.push({ mode: '100644', name, oid: blob.oid });
  }
  const close = (folder: Folder): NewObject => {
    const inner = [...folder.folders].map(([name, sub]) => ({ mode: '40000', name, oid: close(sub).oid }));
    const tree = newTree([...folder.entries, ...inner]);
    objects.push(tree);
    return tree;
  };
  close(root);
  return objects;
}

const packType = { commit: 1, tree: 2, blob: 3 } as const;

/** A pack of whole objects, no deltas: status files are small and a server repacks anyway. */
export function packOf(objects: readonly NewObject[]): Buffer {
  const header = Buffer.alloc(12);
  header.write('PACK');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(objects.length, 8);
  const parts: Buffer[] = [header];
  for (const { type, content } of objects)
    parts.push(
      entryHeader(packType[type], content.length),
      deflateSync(content, { chunkSize: chunkSizeFor(content.length) }),
    );
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** An inflated buffer keeps its whole chunk in memory: 16 KB by default, for each of a thousand small files. */
const chunkSizeFor = (length: number): number =>
  Math.min(Math.max(length, constants.Z_MIN_CHUNK), constants.Z_DEFAULT_CHUNK);

/** Type and size: four bits of the size in the first byte, then seven a byte, least significant first. */
function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 15);
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, byte]);
}
