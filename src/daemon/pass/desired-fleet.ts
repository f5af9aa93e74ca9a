import type { Problem } from '../../api/problem.ts';
import { emptyFleet, type Fleet, type FleetRecord } from '../../engine/input.ts';
import { sameValue } from '../../engine/kernel/same-value.ts';
import type { RepoTree } from '../../repo/tree.ts';
import type { DesiredState } from '../ports.ts';
import { fleetOfLostCommit } from '../record/recorded-fleet.ts';
import type { Logger } from '../report/log.ts';
import type { Metrics } from '../report/metrics.ts';
import { rewound } from './rewound.ts';
import { unverified } from './unverified.ts';

/** The desired fleet: the commit to plan for, and its files. */
export interface DesiredFleet {
  /** The record shows that another daemon moved to this commit, or accepted a rewind to it. */
  claim(commit: string): void;
  /** The commit to plan for, with a problem if it is not the tip. */
  commit(): Promise<WantedCommit>;
  /** The newest commit known to be on the followed branch, with its files; without files if they are gone. */
  followed(wanted: WantedCommit): Promise<FollowedCommit>;
  /** The fleet of a commit; from the record if its files are gone or not trusted. */
  fleetAt(wanted: WantedCommit, of: { readonly followed: FollowedCommit; readonly record: FleetRecord }): Fleet;
  /** A plan for this commit was published: the accepted rewind is used. */
  published(commit: string): void;
}

export interface FollowedCommit {
  readonly commit: string;
  readonly fleet: Fleet;
  /** Where the branch was rewound: what it still approves. Absent: all that the fleet approves. */
  readonly standing?: Approving | undefined;
}

type Approving = Pick<Fleet, 'approvals' | 'gates' | 'removalApprovals'>;

export interface WantedCommit {
  readonly commit: string;
  readonly problems: readonly Problem[];
  /** The tip of the branch, if the commit is only claimed by the record: its files are not read. */
  readonly insteadOf?: string;
  /** The tip of the branch, if that was rewound: of its files only approvals are read, since what it took back counts no more. */
  readonly rewoundTo?: string;
}

/** Follows a branch of desired state. `acceptRewind`: the commit, or its prefix, to which the branch may be rewound once. */
export function desiredFleet(input: {
  readonly desired: DesiredState;
  readonly load: (tree: RepoTree) => Promise<Fleet>;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly branch: string;
  readonly acceptRewind: string | undefined;
}): DesiredFleet {
  const { desired, log } = input;
  let { acceptRewind } = input;
  /** The last commit that this daemon saw on the followed branch or in its history. */
  let accepted: string | undefined;
  /** The commit of the record, as long as the branch does not confirm it. */
  let claimed: string | undefined;
  let loaded: { readonly commit: string; readonly fleet: Fleet } | undefined;
  let standing: { readonly commit: string; readonly fleet: Approving } | undefined;
  const loadFiles = async (commit: string): Promise<Fleet | undefined> => {
    if (loaded?.commit === commit) return loaded.fleet;
    if (!(await desired.has(commit))) return undefined;
    loaded = { commit, fleet: await input.load(await desired.tree(commit)) };
    return loaded.fleet;
  };
  const approvingIn = async (commit: string): Promise<Approving> => {
    if (standing?.commit !== commit) standing = { commit, fleet: await input.load(await desired.tree(commit)) };
    return standing.fleet;
  };
  const isRewindAccepted = (commit: string): boolean => acceptRewind !== undefined && commit.startsWith(acceptRewind);

  async function wanted(): Promise<WantedCommit> {
    const tip = await desired.poll();
    if (claimed !== undefined && (claimed === tip || (await desired.isAncestor(claimed, tip)))) {
      accepted = claimed;
      claimed = undefined;
    }
    // Anyone who can push to the status branch could name any commit of the repository.
    if (accepted === undefined && claimed !== undefined && !isRewindAccepted(tip)) {
      const problems = [rewound({ branch: input.branch, tip, accepted: claimed, isKnown: false })];
      return { commit: claimed, problems, insteadOf: tip };
    }
    const descends = accepted === undefined || tip === accepted || (await desired.isAncestor(accepted, tip));
    if (!descends && !isRewindAccepted(tip))
      return {
        commit: accepted!,
        problems: [rewound({ branch: input.branch, tip, accepted: accepted!, isKnown: true })],
        rewoundTo: tip,
      };
    if (!descends || claimed !== undefined) log.warn({ commit: tip, before: accepted ?? claimed }, 'rewind accepted');
    accepted = tip;
    claimed = undefined;
    desired.actsOn?.(tip);
    return { commit: tip, problems: [] };
  }

  return {
    claim(commit) {
      claimed = commit;
    },
    async commit() {
      const asked = await wanted();
      const ignored = desired.unverified?.();
      input.metrics.set('gitfleet_unverified_commits', ignored?.count ?? 0);
      if (ignored === undefined) return asked;
      const { insteadOf, commit } = asked;
      if (insteadOf === undefined)
        return { ...asked, problems: [...asked.problems, unverified(input.branch, ignored)] };
      // What the record names was acted on before commits were verified, or by who accepts other keys.
      const isThere = commit === ignored.tip || (await desired.isAncestor(commit, ignored.tip));
      const problems = [...(isThere ? [] : asked.problems), unverified(input.branch, { ...ignored, recorded: commit })];
      return { ...asked, problems };
    },
    async followed({ commit, insteadOf = commit, rewoundTo }) {
      const fleet = (await loadFiles(insteadOf)) ?? emptyFleet;
      return { commit: insteadOf, fleet, ...(rewoundTo && { standing: await approvingIn(rewoundTo) }) };
    },
    fleetAt({ commit, insteadOf }, { followed, record }) {
      const isThere = insteadOf === undefined && followed.fleet !== emptyFleet;
      if (!isThere) return fleetOfLostCommit(commit, record);
      return followed.standing ? approvedBy(followed.fleet, followed.standing) : followed.fleet;
    },
    published(commit) {
      if (isRewindAccepted(commit)) acceptRewind = undefined;
    },
  };
}

/** A fleet with those of its approvals that others are the same as. */
function approvedBy(fleet: Fleet, others: Approving): Fleet {
  const stays = <T extends object>(all: readonly T[], there: readonly T[]): readonly T[] =>
    all.filter((one) => there.some((other) => sameValue(one, other)));
  return {
    ...fleet,
    approvals: stays(fleet.approvals, others.approvals),
    gates: stays(fleet.gates, others.gates),
    removalApprovals: stays(fleet.removalApprovals, others.removalApprovals),
  };
}
