import type { Branches } from '../branches.ts';
import { GitError } from '../git-error.ts';
import type { NewObject } from '../objects/new-objects.ts';
import type { CommitSigner } from './commit-signer.ts';
import type { KeptCommit } from './kept-commit.ts';

/** A tip of the status branch that our key did not sign, or one that is behind the last commit that it signed. */
export interface RefusedTip {
  readonly branch: string;
  readonly why: string;
  /** Number of commits after `record`, or of those that were looked at. */
  readonly count: number;
  /** The commit whose contents are the record; undefined: nothing on the branch can be. */
  readonly record: string | undefined;
  /** `--accept-status` names this commit. */
  readonly isAccepted: boolean;
}

/** Signatures of a status branch. */
export interface StatusSigning {
  sign(commit: NewObject): Promise<NewObject>;
  /**
   * Why the tip is not the record; undefined if our key signed it. The tip must have been obtained. Error: GitError `unverified` when
   * none of its commits is signed and none was known before.
   */
  refused(tip: string): Promise<RefusedTip | undefined>;
  /** This daemon pushed the commit. */
  wrote(commit: string): void;
}

export type OpenSigning = (branches: Pick<Branches, 'objects' | 'deepen'>, ref: string) => StatusSigning;

/** Commits on the first-parent line that are looked at. Two processes for each that has a signature. */
const mostCommits = 1_000;

/**
 * Signs the commits of the status branch, and looks for the last one of them. `memory` keeps it between starts: who rewinds the branch
 * would otherwise have an older record believed, as its commits are signed as well. `accepted`: a commit that counts as signed until one
 * that continues it is known.
 */
export const statusSigning =
  ({
    signer,
    memory,
    accepted,
  }: {
    readonly signer: Pick<CommitSigner, 'sign' | 'verify'>;
    readonly memory: KeptCommit;
    readonly accepted: string | undefined;
  }): OpenSigning =>
  ({ objects, deepen }, ref) => {
    const branch = ref.replace('refs/heads/', '');

    /** History that the first fetch left out is fetched before the answer is no. */
    const isAncestor = async (ancestor: string, of: string): Promise<boolean> =>
      (await objects.isAncestor(ancestor, of)) || ((await deepen(ref)) && objects.isAncestor(ancestor, of));

    async function lineFrom(tip: string): Promise<readonly string[]> {
      const line = await objects.firstParents(tip, mostCommits);
      return line.length < mostCommits && (await deepen(ref)) ? objects.firstParents(tip, mostCommits) : line;
    }

    async function isAccepted(commit: string): Promise<boolean> {
      if (commit !== accepted) return false;
      const last = memory.get();
      return last === undefined || !(await isAncestor(commit, last));
    }

    /** Undefined where nothing shows that the commit is ours. */
    async function standing(commit: string): Promise<'signed' | 'accepted' | { readonly why: string }> {
      if (commit === memory.get()) return 'signed';
      if (await isAccepted(commit)) return 'accepted';
      const verdict = await signer.verify(objects, commit);
      return verdict.isVerified ? 'signed' : verdict;
    }

    async function older(tip: string, why: string): Promise<RefusedTip> {
      const line = await lineFrom(tip);
      for (const [count, commit] of line.entries()) {
        const found = count === 0 ? { why } : await standing(commit);
        if (typeof found === 'string') return continued(commit, { why, count, isAccepted: found === 'accepted' });
      }
      if (memory.get() !== undefined) return { branch, why, count: line.length, record: undefined, isAccepted: false };
      throw new GitError(
        'unverified',
        `no commit of ${branch} is signed by the key of --sign-key, so nothing is acted on (commit ${tip.slice(0, 12)}: ${why}). If its record is right, start once with --accept-status ${tip}; else delete the branch`,
      );
    }

    /** A signed commit counts if it is the last one that is known, or continues it. */
    async function continued(
      commit: string,
      found: Pick<RefusedTip, 'why' | 'count' | 'isAccepted'>,
    ): Promise<RefusedTip> {
      const last = memory.get();
      const counts = found.isAccepted || last === undefined || last === commit || (await isAncestor(last, commit));
      if (!counts) return { ...found, branch, record: undefined };
      if (!found.isAccepted) memory.set(commit);
      return { ...found, branch, record: commit };
    }

    return {
      sign: (commit) => signer.sign(commit),
      wrote: (commit) => memory.set(commit),
      async refused(tip) {
        const found = await standing(tip);
        if (typeof found !== 'string') return older(tip, found.why);
        if (found === 'accepted') return continued(tip, { why: 'it is accepted', count: 0, isAccepted: true });
        const last = memory.get();
        const why = `it does not continue ${last?.slice(0, 12)}, the last signed commit that this daemon knows`;
        const { record, ...others } = await continued(tip, { why, count: 1, isAccepted: false });
        return record === undefined ? { ...others, record } : undefined;
      },
    };
  };
