import type { DesiredState } from '../ports.ts';
import type { ApprovalRequests } from './approval-requests.ts';
import type { BranchesAsOf } from './request-state.ts';
import { answeredRequests, type RequestFacts, wantedRequests } from './wanted-requests.ts';

type Facts = Omit<RequestFacts, 'most'> & {
  /** Names of the branches that were withdrawn now. */
  readonly withdrawn: readonly string[];
  /** The record that the plan is made from was read later. */
  readonly asOf: BranchesAsOf;
};

/** Hands over the pull requests that a plan wants, after each reconciliation; without a change their texts are not made again. */
export function requestKeeper({
  requests,
  desired,
}: {
  readonly requests: ApprovalRequests;
  readonly desired: DesiredState;
}): (facts: Facts) => Promise<void> {
  let last: readonly unknown[] = [];
  return async (facts) => {
    const { recorded, present, tips, problems, withdrawn, asOf } = facts;
    const forge = requests.forge(present.config?.spec.forge);
    const made = [forge, recorded.result, JSON.stringify([[...tips], problems])];
    if (forge === undefined) return;
    if (withdrawn.length === 0 && made.every((part, at) => part === last[at])) return requests.confirm(asOf);
    const wanted = await wantedRequests({ ...facts, most: forge.mostCharacters }, desired);
    requests.want(wanted, asOf, answeredRequests(recorded, wanted, withdrawn));
    last = made;
  };
}
