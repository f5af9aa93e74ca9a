import type { Branches } from './branches.ts';
import { covers, type ListRefs } from './list-refs.ts';

/**
 * Where the followed branches point. All of them are listed in one request to the server, at most once per interval unless there
 * is a hint: there may be many passes a second, most of them because of members.
 */
export interface RefPoll {
  /** Refs under the followed prefixes; the last response is used until it is too old. */
  readonly list: ListRefs;
  /** When what `list` returns was read. Milliseconds of real time. */
  asOfMs(): number;
  /** Something may have moved: the next call lists again. */
  expire(): void;
  /** Records a ref that was just read or moved here. Undefined: it does not exist. */
  know(ref: string, oid: string | undefined): void;
}

/** Follows refs of a repository, and lists them no more often than every `maxAgeMs`. */
export function refPoll(
  branches: Branches,
  follow: {
    readonly prefixes: readonly string[];
    /** Milliseconds for which a response of a server is used; a local repository is always read. */
    readonly maxAgeMs: number;
    /** Milliseconds of real time. */
    readonly now: () => number;
  },
): RefPoll {
  let heard: { readonly at: number; readonly refs: Map<string, string> } | undefined;

  return {
    async list(prefixes) {
      if (!branches.remote) return branches.list(prefixes);
      if (heard === undefined || follow.now() - heard.at >= follow.maxAgeMs)
        heard = { at: follow.now(), refs: await branches.list(follow.prefixes) };
      return new Map([...heard.refs].filter(([ref]) => prefixes.some((prefix) => covers(prefix, ref))));
    },
    asOfMs: () => (branches.remote ? heard?.at : undefined) ?? follow.now(),
    expire() {
      heard = undefined;
    },
    know(ref, oid) {
      if (oid === undefined) heard?.refs.delete(ref);
      else heard?.refs.set(ref, oid);
    },
  };
}

/** Lists each time: for a single use. */
export const alwaysAsk = (branches: Branches): RefPoll => ({
  list: branches.list,
  asOfMs: Date.now,
  expire() {},
  know() {},
});
