import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GitError } from '../git-error.ts';
import { git } from '../native/run-git.ts';

const oidForm = /^[0-9a-f]{40}$/;
const noOid = '0'.repeat(40);

/** Where a ref points, read from its file or from packed-refs; `ref:` is followed. */
export async function readRef(commonDir: string, ref: string): Promise<string | undefined> {
  const text = (await readFile(join(commonDir, ref), 'utf8').catch(() => '')).trim();
  if (text.startsWith('ref: ')) return readRef(commonDir, text.slice(5).trim());
  if (oidForm.test(text)) return text;
  return (await packedRefs(commonDir)).get(ref);
}

/** Each working tree has its own HEAD; the ref that it names is shared. */
export async function readHead(gitDir: string, commonDir: string): Promise<string | undefined> {
  const text = (await readFile(join(gitDir, 'HEAD'), 'utf8').catch(() => '')).trim();
  return text.startsWith('ref: ') ? readRef(commonDir, text.slice(5).trim()) : readRef(gitDir, 'HEAD');
}

/** Refs under a prefix that ends in a slash, or the ref with exactly that name. */
export async function listRefs(commonDir: string, prefix: string): Promise<Map<string, string>> {
  if (!prefix.endsWith('/')) {
    const oid = await readRef(commonDir, prefix);
    return new Map(oid === undefined ? [] : [[prefix, oid]]);
  }
  const found = new Map<string, string>();
  const entries = await readdir(join(commonDir, prefix), { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.endsWith('.lock')) continue;
    const ref = join(entry.parentPath, entry.name).slice(commonDir.length + 1);
    const oid = await readRef(commonDir, ref);
    if (oid !== undefined) found.set(ref, oid);
  }
  // Read last: git writes packed-refs before it removes the files, so a ref that is being packed is in one of the two.
  for (const [ref, oid] of await packedRefs(commonDir))
    if (ref.startsWith(prefix) && !found.has(ref)) found.set(ref, oid);
  return found;
}

async function packedRefs(commonDir: string): Promise<Map<string, string>> {
  const text = await readFile(join(commonDir, 'packed-refs'), 'utf8').catch(() => '');
  return new Map([...text.matchAll(/^([0-9a-f]{40}) (\S+)$/gm)].map((match) => [match[2]!, match[1]!]));
}

export interface RefChange {
  readonly ref: string;
  /** Undefined: the ref must not exist. */
  readonly from: string | undefined;
  /** Undefined: the ref is deleted. */
  readonly to: string | undefined;
}

/**
 * Moves a ref if it still points to `from`. Hooks of the repository do not run. Errors: `push-refused` with the output of git,
 * `locked` while another process has locked the ref.
 */
export async function changeRef(commonDir: string, change: RefChange, native: boolean): Promise<'done' | 'moved'> {
  return native ? changeByGit(commonDir, change) : changeByLock(commonDir, change);
}

async function changeByGit(commonDir: string, { ref, from, to }: RefChange): Promise<'done' | 'moved'> {
  const args = to === undefined ? ['update-ref', '-d', ref, from ?? noOid] : ['update-ref', ref, to, from ?? noOid];
  const ran = await git(args, { gitdir: commonDir });
  if (ran.code === 0) return 'done';
  if ((await readRef(commonDir, ref)) !== from) return 'moved';
  throw new GitError('push-refused', `update ${ref} in ${commonDir}: ${ran.stderr}`);
}

/** Git's own protocol: the process that creates `<ref>.lock` may read the ref and rename the lock over it. */
async function changeByLock(commonDir: string, { ref, from, to }: RefChange): Promise<'done' | 'moved'> {
  const path = join(commonDir, ref);
  await mkdir(dirname(path), { recursive: true });
  const lock = await lockFile(`${path}.lock`);
  // After the rename the lock file may already be that of another process.
  let ours = true;
  try {
    if ((await readRef(commonDir, ref)) !== from) return 'moved';
    if (to === undefined) {
      await forgetPacked(commonDir, ref);
      await unlink(path).catch(() => {});
      return 'done';
    }
    await lock.writeFile(`${to}\n`);
    await lock.sync();
    await rename(`${path}.lock`, path);
    ours = false;
    return 'done';
  } finally {
    await lock.close();
    if (ours) await rm(`${path}.lock`, { force: true });
  }
}

async function lockFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new GitError('locked', `${path} exists: another process writes branches here. Remove the file if none does`);
  }
}

async function forgetPacked(commonDir: string, ref: string): Promise<void> {
  if (!(await packedRefs(commonDir)).has(ref)) return;
  const path = join(commonDir, 'packed-refs');
  const lock = await lockFile(`${path}.lock`);
  let ours = true;
  try {
    const lines = (await readFile(path, 'utf8')).split('\n');
    const at = lines.findIndex((line) => line.endsWith(` ${ref}`));
    if (at < 0) return;
    // A line with ^ has the object that the tag above it points at.
    lines.splice(at, lines[at + 1]?.startsWith('^') ? 2 : 1);
    await lock.writeFile(lines.join('\n'));
    await rename(`${path}.lock`, path);
    ours = false;
  } finally {
    await lock.close();
    if (ours) await rm(`${path}.lock`, { force: true });
  }
}
