import type { MemberProviders } from '../members/member.ts';
import { type Daemon, type DaemonInput, daemon } from './daemon.ts';
import { type FleetMembers, type FleetMembersInput, fleetMembers } from './members.ts';
import type { Connect } from './open-members.ts';
import type { PassPorts } from './pass/pass-effects.ts';
import { reconciler } from './pass/reconciler.ts';
import { type PreviewPorts, type PullRequestPreviews, pullRequestPreviews } from './previews/pull-request-previews.ts';
import { type ApprovalRequests, approvalRequests, type OpenForge } from './requests/approval-requests.ts';

/** Creates a daemon from its ports: the source of desired state, the status branch, and the connections to members. */
export function assemble(
  input: Omit<PassPorts, 'members' | 'requests' | 'previews'> &
    Pick<PreviewPorts, 'startedPlans'> &
    MemberProviders &
    Omit<DaemonInput, 'reconciler' | 'members'> & {
      readonly connect: Connect;
      readonly contexts?: FleetMembersInput['contexts'];
      /** Number of members with open watches; the others are listed every minute. */
      readonly watchMembers: number;
      /** Opens the forge that fleet.yaml names. */
      readonly forge: OpenForge;
      /** The repository, for pull requests. Opened only where there are some. */
      readonly pullRequestBranches: PreviewPorts['branches'];
      /** A message about a member for users. */
      readonly noticed?: (message: string) => void;
    },
): {
  readonly daemon: Daemon;
  readonly members: FleetMembers;
  readonly requests: ApprovalRequests;
  readonly previews: PullRequestPreviews;
} {
  const { log } = input;
  let wake = (_reason: string): void => {};
  let look = (_reason: string): void => {};
  const members = fleetMembers({
    connect: input.connect,
    contexts: input.contexts,
    watchMembers: input.watchMembers,
    providers: input.providers,
    launchers: input.launchers,
    recordAgeMs: input.intervalMs,
    clock: input.clock,
    pace: input.pace,
    changed(cluster, message, isTrouble) {
      if (message !== undefined) {
        log[isTrouble ? 'warn' : 'info']({ cluster }, message);
        input.noticed?.(`${cluster}: ${message}`);
      }
      wake(`${cluster} changed`);
    },
    conflict: (cluster) => look(`another daemon changes ${cluster}`),
  });
  const forge = { open: openedOnce(input.forge), changed: () => wake('a pull request changed') };
  const requests = approvalRequests({ ...input, ...forge });
  const previews = pullRequestPreviews({
    ...input,
    ...forge,
    branches: input.pullRequestBranches,
    load: input.loadPast,
  });
  const built = daemon({ ...input, members, reconciler: reconciler({ ...input, members, requests, previews }) });
  wake = (reason) => built.wake(reason);
  look = (reason) => built.look(reason);
  // A single reconciliation ends before its previews would be complete.
  const run: Daemon['run'] = () => {
    previews.start();
    return built.run();
  };
  return { daemon: { ...built, run }, members, requests, previews };
}

/** All who use the forge wait together when it says so. */
function openedOnce(open: OpenForge): OpenForge {
  let last: { readonly named: string; readonly opened: ReturnType<OpenForge> } | undefined;
  return (config) => {
    const named = JSON.stringify(config ?? null);
    if (last?.named !== named) last = { named, opened: open(config) };
    return last.opened;
  };
}
