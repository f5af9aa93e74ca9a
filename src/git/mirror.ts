import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../repo/make-directory.ts';
import { changeRef, listRefs } from './local/local-refs.ts';
import { takeLock } from './local/process-lock.ts';
import { git } from './native/run-git.ts';

/** Every fetch adds a pack, and every read searches all of them. */
const tooManyPacks = 50;
/** Every push by the git binary leaves the objects that it sent as loose files. */
const tooManyLoose = 1_000;

export interface Mirror {
  readonly gitdir: string;
  /** Combines packs when there are many; without git, the next start begins with an empty mirror. */
  tidy(): Promise<void>;
  /** Runs a fetch. One that is killed may leave half a pack or index, so the next start begins with an empty mirror. */
  fetching(action: () => Promise<void>): Promise<void>;
  /** True while the mirror holds a commit without its parents. */
  cutOff(): Promise<boolean>;
  /** Deletes all refs but these. From then on objects that only others had are pruned when packs are combined. */
  keepOnly(refs: ReadonlySet<string>): Promise<void>;
  release(): Promise<void>;
}

/** isomorphic-git stores what it fetched under the remote's refspec; only `mirrorRef` is used here. */
const config = `[core]
\trepositoryformatversion = 0
\tbare = true
[gc]
\tauto = 0
[remote "origin"]
\tfetch = +refs/heads/*:refs/remotes/origin/*
`;

/** Where the mirror keeps a ref of the server. It is set after its objects are stored, so it shows that a fetch was complete. */
export const mirrorRef = (ref: string): string => `refs/gitfleet/${ref}`;

/** A bare git directory of our own, created if it does not exist, locked by this process until it is released. */
export async function openMirror(dir: string, native: boolean): Promise<Mirror> {
  await makeDirectory(dir, 0o700);
  const release = await takeLock(join(dir, 'lock'));
  const gitdir = join(dir, 'repo.git');
  const fetching = join(dir, 'fetching');
  let fetches = 0;
  const cutShort = await stat(fetching).catch(() => undefined);
  if (cutShort || (!native && (await packs(gitdir)) > tooManyPacks * 4))
    await rm(gitdir, { recursive: true, force: true });
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    await makeDirectory(join(gitdir, folder));
  await writeFile(join(gitdir, 'HEAD'), 'ref: refs/heads/gitfleet-mirror\n');
  await writeFile(join(gitdir, 'config'), config);
  let prunes = false;
  return {
    gitdir,
    release,
    async keepOnly(refs) {
      for (const [ref, from] of await listRefs(gitdir, 'refs/'))
        if (!refs.has(ref)) await changeRef(gitdir, { ref, from, to: undefined }, native);
      prunes = true;
    },
    cutOff: async () => (await readFile(join(gitdir, 'shallow'), 'utf8').catch(() => '')).trim() !== '',
    async fetching(action) {
      fetches += 1;
      await writeFile(fetching, '');
      try {
        await action();
      } finally {
        fetches -= 1;
        if (fetches === 0) {
          await removeHalfPacks(gitdir);
          await rm(fetching, { force: true });
        }
      }
    },
    async tidy() {
      if (!native || ((await packs(gitdir)) <= tooManyPacks && (await loose(gitdir)) <= tooManyLoose)) return;
      // Else nothing is pruned: after a rewind the fleet stays at a commit that no branch of the server holds any more.
      await git(['gc', '--quiet', prunes ? '--prune=now' : '--no-prune'], { gitdir });
    },
  };
}

/** Estimated from a sixteenth of the folders, as git does. */
async function loose(gitdir: string): Promise<number> {
  const folders = [...'0123456789abcdef'].map((digit) => join(gitdir, 'objects', `1${digit}`));
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return names.flat().length * 16;
}

/** What fetches that failed have left. */
async function removeHalfPacks(gitdir: string): Promise<void> {
  for (const name of await packFiles(gitdir))
    if (name.startsWith('tmp_')) await rm(join(gitdir, 'objects/pack', name), { force: true });
}

const packFiles = (gitdir: string): Promise<string[]> => readdir(join(gitdir, 'objects/pack')).catch(() => []);

async function packs(gitdir: string): Promise<number> {
  const names = await packFiles(gitdir);
  return names.filter((name) => name.endsWith('.pack')).length;
}
