import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import type { RepoTree } from '../../repo/tree.ts';
import type { DesiredState } from '../ports.ts';
import { fleetOfLostCommit } from '../record/recorded-fleet.ts';
import type { Logger } from '../report/log.ts';
import { rewound } from './rewound.ts';

/** What the fleet repo wants: which of its commits counts, and the files of that. */
export interface DesiredFleet {
  /** Another daemon went on to this commit, or accepted a rewind to it. */
  accept(commit: string): void;
  /** The commit to plan for, and why it is not the tip when it is not. */
  commit(): Promise<{ readonly commit: string; readonly problems: readonly Problem[] }>;
  /** The files of a commit; where they are gone with a cache and a rewind, what the record knows of them. */
  load(commit: string, record: FleetRecord): Promise<Fleet>;
  /** A plan for this commit was published: the yes to a rewind to it is used up. */
  published(commit: string): void;
}

/** Follows a branch of desired state. `acceptRewind`: the commit, or how it begins, to which history may go back once. */
export function desiredFleet(input: {
  readonly desired: DesiredState;
  readonly load: (tree: RepoTree) => Promise<Fleet>;
  readonly log: Logger;
  readonly branch: string;
  readonly acceptRewind: string | undefined;
}): DesiredFleet {
  const { desired, log } = input;
  let { acceptRewind } = input;
  let accepted: string | undefined;
  let loaded: { readonly commit: string; readonly fleet: Fleet } | undefined;
  const isRewindAccepted = (commit: string): boolean => acceptRewind !== undefined && commit.startsWith(acceptRewind);

  return {
    accept(commit) {
      accepted = commit;
    },
    async commit() {
      const tip = await desired.poll();
      const descends = accepted === undefined || tip === accepted || (await desired.isAncestor(accepted, tip));
      if (!descends && !isRewindAccepted(tip))
        return { commit: accepted!, problems: [rewound({ branch: input.branch, tip, accepted: accepted! })] };
      if (!descends) log.warn({ commit: tip, before: accepted }, 'rewind accepted');
      accepted = tip;
      return { commit: tip, problems: [] };
    },
    async load(commit, record) {
      if (loaded?.commit === commit) return loaded.fleet;
      if (!(await desired.has(commit))) return fleetOfLostCommit(commit, record);
      loaded = { commit, fleet: await input.load(await desired.tree(commit)) };
      return loaded.fleet;
    },
    published(commit) {
      if (isRewindAccepted(commit)) acceptRewind = undefined;
    },
  };
}
