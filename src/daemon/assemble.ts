import type { OpenProviders } from '../members/upgrade/upgrade-watch.ts';
import { type Daemon, type DaemonInput, daemon } from './daemon.ts';
import { type FleetMembers, fleetMembers } from './members.ts';
import type { Connect } from './open-members.ts';
import type { PassPorts } from './pass/pass-effects.ts';
import { reconciler } from './pass/reconciler.ts';
import { type ApprovalRequests, approvalRequests, type OpenForge } from './requests/approval-requests.ts';

/** Creates a daemon from its ports: the source of desired state, the status branch, and the connections to members. */
export function assemble(
  input: Omit<PassPorts, 'members' | 'requests'> &
    Omit<DaemonInput, 'reconciler' | 'members'> & {
      readonly connect: Connect;
      /** Number of members with open watches; the others are listed every minute. */
      readonly watchMembers: number;
      /** Who upgrades members; absent: nobody. */
      readonly providers?: OpenProviders | undefined;
      /** Opens the forge that fleet.yaml names. */
      readonly forge: OpenForge;
      /** A message about a member for users. */
      readonly noticed?: (message: string) => void;
    },
): { readonly daemon: Daemon; readonly members: FleetMembers; readonly requests: ApprovalRequests } {
  const { log } = input;
  let wake = (_reason: string): void => {};
  let look = (_reason: string): void => {};
  const members = fleetMembers({
    connect: input.connect,
    watchMembers: input.watchMembers,
    providers: input.providers,
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
  const requests = approvalRequests({ ...input, open: input.forge, changed: () => wake('a pull request changed') });
  const built = daemon({ ...input, members, reconciler: reconciler({ ...input, members, requests }) });
  wake = (reason) => built.wake(reason);
  look = (reason) => built.look(reason);
  return { daemon: built, members, requests };
}
