import type { Problem } from '../../api/problem.ts';
import { emptyFleet, type Fleet, type FleetRecord } from '../../engine/input.ts';
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
}

export interface WantedCommit {
  readonly commit: string;
  readonly problems: readonly Problem[];
  /** The tip of the branch, if the commit is only claimed by the record: its files are not read. */
  readonly insteadOf?: string;
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
  const loadFiles = async (commit: string): Promise<Fleet | undefined> => {
    if (loaded?.commit === commit) return loaded.fleet;
    if (!(await desired.has(commit))) return undefined;
    loaded = { commit, fleet: await input.load(await desired.tree(commit)) };
    return loaded.fleet;
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
      };
    if (!descends || claimed !== undefined) log.warn({ commit: tip, before: accepted ?? claimed }, 'rewind accepted');
    accepted = tip;
    claimed = undefined;
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
      return ignored === undefined
        ? asked
        : { ...asked, problems: [...asked.problems, unverified(input.branch, ignored)] };
    },
    async followed({ commit, insteadOf = commit }) {
      return { commit: insteadOf, fleet: (await loadFiles(insteadOf)) ?? emptyFleet };
    },
    fleetAt({ commit, insteadOf }, { followed, record }) {
      const isThere = insteadOf === undefined && followed.fleet !== emptyFleet;
      return isThere ? followed.fleet : fleetOfLostCommit(commit, record);
    },
    published(commit) {
      if (isRewindAccepted(commit)) acceptRewind = undefined;
    },
  };
}
