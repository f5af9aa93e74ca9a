import type { BranchChange, Branches } from '../../src/git/branches.ts';
import { GitError } from '../../src/git/git-error.ts';
import { covers } from '../../src/git/list-refs.ts';
import { type NewObject, newCommit, newFileTree } from '../../src/git/objects/new-objects.ts';
import type { Objects } from '../../src/git/objects/objects.ts';
import { objectsFrom } from '../../src/git/objects/open-objects.ts';

/** Requests to a repository, which a test may let fail. */
export type Asked =
  | { readonly kind: 'list' | 'fetch'; readonly ref: string }
  | { readonly kind: 'push'; readonly ref: string; readonly change: BranchChange };

const person = { name: 'Ann', email: 'ann@example.com' };

/** A repository in memory: real objects with real ids, compare-and-swap on refs, nothing on a disk. */
export class MemoryRepo {
  readonly #objects = new Map<string, NewObject>();
  readonly #now: () => number;
  readonly refs = new Map<string, string>();
  /** Every move of a ref by a daemon, oldest first. */
  readonly pushes: { readonly ref: string; readonly to: string | undefined }[] = [];
  readonly objects: Objects;

  constructor(now: () => number) {
    this.#now = now;
    this.objects = this.#readable(() => true);
  }

  /** Objects that exist and that `visible` accepts, as a clone has only what it fetched. */
  #readable(visible: (oid: string) => boolean): Objects {
    const read = async (oids: readonly string[]) =>
      new Map(
        oids.map((oid) => {
          const found = visible(oid) ? this.#objects.get(oid) : undefined;
          if (found === undefined) throw new GitError('object-missing', `${oid} is not in memory`);
          return [oid, found];
        }),
      );
    const sizes = async (oids: readonly string[]) =>
      new Map([...(await read(oids))].map(([oid, { content }]) => [oid, content.length]));
    const objects: Objects = objectsFrom(
      { read, sizes },
      {
        isAncestor: async (ancestor, of) => (await walk(of)).includes(ancestor),
        log: async (tip, { most }) => (await walk(tip)).slice(0, most),
      },
    );
    const walk = async (tip: string): Promise<string[]> => {
      const seen = new Set<string>();
      const queue = [tip];
      for (let oid = queue.shift(); oid !== undefined; oid = queue.shift()) {
        if (seen.has(oid) || !(await objects.has(oid))) continue;
        seen.add(oid);
        queue.push(...(await objects.commit(oid)).parents);
      }
      return [...seen];
    };
    return objects;
  }

  /** The ports of a daemon. `asked` runs before each request and may throw or wait; `lost` objects cannot be read. */
  branches(
    options: {
      readonly remote?: boolean;
      readonly asked?: (asked: Asked) => Promise<void> | void;
      readonly lost?: ReadonlySet<string>;
    } = {},
  ): Branches {
    const { remote = false, asked = () => {}, lost = new Set() } = options;
    return {
      name: 'memory',
      remote,
      objects: this.#readable((oid) => !lost.has(oid)),
      list: async (prefixes) => {
        await asked({ kind: 'list', ref: prefixes[0]! });
        return new Map([...this.refs].filter(([ref]) => prefixes.some((prefix) => covers(prefix, ref))));
      },
      obtain: async (ref) => {
        if (remote) await asked({ kind: 'fetch', ref });
      },
      deepen: async () => false,
      keepOnly: async () => {},
      change: async (change) => {
        await asked({ kind: 'push', ref: change.ref, change });
        return this.#change(change);
      },
      checkedOut: async () => false,
      close: async () => {},
    };
  }

  #change({ ref, from, to, objects }: BranchChange): 'done' | 'moved' {
    if (this.refs.get(ref) !== from) return 'moved';
    for (const object of objects) this.#objects.set(object.oid, object);
    if (to === undefined) this.refs.delete(ref);
    else this.refs.set(ref, to);
    this.pushes.push({ ref, to });
    return 'done';
  }

  /** Commits files as the complete content of a branch, on top of its tip (or of `parents`). */
  commit(
    branch: string,
    files: Readonly<Record<string, string>>,
    message = 'Change',
    parents: readonly string[] = [this.refs.get(`refs/heads/${branch}`) ?? []].flat(),
    author = person,
  ): string {
    const objects = newFileTree(new Map(Object.entries(files)));
    const commit = newCommit({ tree: objects.at(-1)!.oid, parents, message, author, at: this.#now() });
    for (const object of [...objects, commit]) this.#objects.set(object.oid, object);
    this.refs.set(`refs/heads/${branch}`, commit.oid);
    return commit.oid;
  }

  tip(branch: string): string | undefined {
    return this.refs.get(`refs/heads/${branch}`);
  }

  async files(branch: string): Promise<Record<string, string>> {
    const tip = this.tip(branch);
    if (tip === undefined) return {};
    const tree = await this.objects.files(tip);
    const files = await tree.files();
    const contents = await tree.read(files.map(({ oid }) => oid));
    return Object.fromEntries(files.map(({ path, oid }) => [path, Buffer.from(contents.get(oid)!).toString('utf8')]));
  }

  /** Subjects of the commits of a branch, newest first. */
  async log(branch: string): Promise<string[]> {
    const subjects: string[] = [];
    for (let oid = this.tip(branch); oid !== undefined; oid = (await this.objects.commit(oid)).parents[0])
      subjects.push(this.#objects.get(oid)!.content.toString('utf8').split('\n\n')[1]!.split('\n')[0]!);
    return subjects;
  }
}
