import type { DesiredState } from '../ports.ts';
import type { ApprovalRequests } from './approval-requests.ts';
import { type RequestFacts, wantedRequests } from './wanted-requests.ts';

type Facts = Omit<RequestFacts, 'most'>;

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
    const { recorded, present, tips, problems } = facts;
    const forge = requests.forge(present.config?.spec.forge);
    const made = [forge, recorded.result, JSON.stringify([[...tips], problems])];
    if (forge === undefined || made.every((part, at) => part === last[at])) return;
    requests.want(await wantedRequests({ ...facts, most: forge.mostCharacters }, desired));
    last = made;
  };
}
