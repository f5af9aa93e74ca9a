import type { Branches } from './branches.ts';
import { covers, type ListRefs } from './list-refs.ts';

/**
 * Where the branches that we follow point. A server is asked for all of them in one request and at most once a while,
 * unless there is a hint: passes may come many a second, and most of them because of members.
 */
export interface RefPoll {
  /** Of the prefixes that are followed; what was heard last counts until it is too old. */
  readonly list: ListRefs;
  /** Something may have moved: the next look asks. */
  expire(): void;
  /** We know better: this ref was just read or moved by us. Undefined: it is not there. */
  know(ref: string, oid: string | undefined): void;
}

/** Follows refs of a repository, and asks its server no more often than `maxAgeMs`. */
export function refPoll(
  branches: Branches,
  follow: {
    readonly prefixes: readonly string[];
    /** Milliseconds for which an answer of a server counts; a local repository is always read. */
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
    expire() {
      heard = undefined;
    },
    know(ref, oid) {
      if (oid === undefined) heard?.refs.delete(ref);
      else heard?.refs.set(ref, oid);
    },
  };
}

/** Asks each time: for a single look. */
export const alwaysAsk = (branches: Branches): RefPoll => ({ list: branches.list, expire() {}, know() {} });
