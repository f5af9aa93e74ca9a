import { GitError } from '../git-error.ts';
import type { GitSource } from '../source.ts';
import type { CommitVerifier } from './commit-verifier.ts';
import { keptCommit } from './kept-commit.ts';

/** Commits of the followed branch that are not acted on. */
export interface UnverifiedCommits {
  readonly tip: string;
  /** The commit that is acted on instead. */
  readonly verified: string;
  /** The file that keeps the last verified commit; undefined as long as there is none: the next tip that verifies counts. */
  readonly memory: string | undefined;
  /** The oldest one that does not verify, and why. */
  readonly first: string;
  readonly why: string;
  /** Number of commits on the first-parent line that are not acted on. */
  readonly count: number;
}

export interface VerifiedSource extends GitSource {
  /** As of the last `poll`; undefined = the tip is verified. */
  unverified(): UnverifiedCommits | undefined;
  /** A commit that `poll` returned is acted on: it is the last verified one from now on. */
  actsOn(commit: string): void;
  /** `signature of ann@example.com verified`, or why not. */
  signatureOf(commit: string): Promise<string>;
}

/** Commits on the first-parent line that are looked at. Two processes for each of them. */
const mostCommits = 1_000;

/**
 * The branch up to its last verified commit. The tip counts if it verifies and every commit on the first-parent line since the last
 * verified one does: who signs a merge vouches for what it merges. Without a last verified commit, the newest one that verifies counts.
 * `memory`: a file that keeps it between starts, since what the status branch says is not believed. What the caller does not act on is
 * not kept: who refuses a rewind stays on the line that was there before.
 */
export function verifiedSource(
  source: GitSource,
  { verifier, memory }: { readonly verifier: CommitVerifier; readonly memory: string },
): VerifiedSource {
  const { objects } = source.branches;
  const verdictOn = (commit: string) => verifier.verify(objects, commit);
  const base = keptCommit(memory, source.branch);
  let last: { readonly tip: string; readonly found: UnverifiedCommits | undefined } | undefined;

  /** The commits from the tip to a known one, newest first. */
  async function lineSince(tip: string, known: string): Promise<readonly string[]> {
    const line: string[] = [];
    let at: string | undefined = tip;
    while (at !== undefined && at !== known && !(await source.isAncestor(at, known))) {
      line.push(at);
      if (line.length > mostCommits)
        throw new GitError(
          'unverified',
          `${source.branch} has more than ${mostCommits} commits since ${known.slice(0, 12)}, the last verified one: remove ${memory} to start from its tip`,
        );
      at = await source.parentOf(at);
    }
    return line;
  }

  async function sinceKnown(tip: string, known: string): Promise<UnverifiedCommits | undefined> {
    const line = await lineSince(tip, known);
    let verified = known;
    for (const [at, commit] of [...line.entries()].toReversed()) {
      const verdict = await verdictOn(commit);
      if (!verdict.isVerified) {
        return { tip, verified, memory, first: commit, why: verdict.why, count: at + 1 };
      }
      // A line that joins the known commit by a merge does not descend from it before.
      if (await source.isAncestor(known, commit)) verified = commit;
    }
    return undefined;
  }

  /** The newest commit that verifies, where nothing is known yet. */
  async function newest(tip: string): Promise<UnverifiedCommits | undefined> {
    let first = { commit: tip, why: '' };
    let at: string | undefined = tip;
    for (let count = 0; count < mostCommits && at !== undefined; count++) {
      const verdict = await verdictOn(at);
      if (verdict.isVerified)
        return count === 0
          ? undefined
          : { tip, verified: at, memory: undefined, first: first.commit, why: first.why, count };
      first = { commit: at, why: verdict.why };
      at = await source.parentOf(at);
    }
    throw new GitError(
      'unverified',
      `no commit of ${source.branch} is signed by a key of --verify-keys, so nothing is acted on (commit ${first.commit.slice(0, 12)}: ${first.why}): push a signed one`,
    );
  }

  async function judged(tip: string): Promise<UnverifiedCommits | undefined> {
    const known = base.get();
    if (known === undefined) return newest(tip);
    if (known === tip) return undefined;
    if (await source.isAncestor(known, tip)) return sinceKnown(tip, known);
    // The branch was rewound: whether that is accepted is decided by the caller.
    const verdict = await verdictOn(tip);
    return verdict.isVerified ? undefined : { tip, verified: known, memory, first: tip, why: verdict.why, count: 1 };
  }

  return {
    ...source,
    async poll() {
      const tip = await source.poll();
      if (last?.tip !== tip) last = { tip, found: await judged(tip) };
      return last.found?.verified ?? tip;
    },
    unverified: () => last?.found,
    actsOn: (commit) => base.set(commit),
    async signatureOf(commit) {
      const verdict = await verdictOn(commit);
      return verdict.isVerified ? `signature of ${verdict.by} verified` : `not verified: ${verdict.why}`;
    },
  };
}
