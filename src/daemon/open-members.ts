import { messageOf } from '../api/message-of.ts';
import type { ClusterName } from '../api/meta.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import type { Transport } from '../members/api-server/transport.ts';
import type { Clock } from '../members/clock.ts';
import type { Member, MemberEvents } from '../members/member.ts';
import { spareContexts } from '../members/spare-contexts.ts';
import type { ProviderSetting } from '../members/upgrade/provider.ts';

/** Opens a connection to a member by name, or by what its upgrade provider knows of it; undefined when no kubeconfig has it. */
export type Connect = (name: ClusterName, setting?: ProviderSetting) => Promise<Transport | undefined>;

/** Open members, and members without a connection. */
export interface OpenMembers {
  /** Opens and closes members so that exactly these are open; heartbeats in milliseconds, by name. */
  follow(wanted: ReadonlyMap<ClusterName, number>): Promise<void>;
  readonly open: ReadonlyMap<ClusterName, { readonly member: Member }>;
  /** Why there is no connection. */
  readonly unknown: ReadonlyMap<ClusterName, string>;
  /** Since when each has been in the fleet without a break, milliseconds. */
  readonly askedSince: ReadonlyMap<ClusterName, number>;
  /** Requests sent to members that are closed. */
  closedRequests(): number;
}

export function openMembers(input: {
  readonly connect: Connect;
  readonly clock: Clock;
  /** What the kubeconfigs hold, for a message. */
  readonly contexts: readonly string[];
  /** Members newly lack a connection; the message is for users. */
  readonly changed: MemberEvents['changed'];
  /** `position`: number of members that are already open. */
  readonly open: (
    name: ClusterName,
    how: { readonly transport: Transport; readonly heartbeatMs: number; readonly position: number },
  ) => Member;
}): OpenMembers {
  const open = new Map<ClusterName, { readonly member: Member; readonly heartbeatMs: number }>();
  const unknown = new Map<ClusterName, string>();
  const askedSince = new Map<ClusterName, number>();
  let closedRequests = 0;

  function close(wanted: ReadonlyMap<ClusterName, number>): void {
    for (const [name, { member, heartbeatMs }] of open) {
      if (wanted.get(name) === heartbeatMs) continue;
      member.stop();
      closedRequests += member.requests();
      open.delete(name);
      // The last contact is lost with its connection.
      askedSince.delete(name);
    }
    for (const name of askedSince.keys()) if (!wanted.has(name)) askedSince.delete(name);
    for (const name of unknown.keys()) if (!wanted.has(name)) unknown.delete(name);
  }

  async function openOne(name: ClusterName, heartbeatMs: number): Promise<void> {
    const transport = await connection(input.connect, name);
    if (typeof transport === 'string') {
      unknown.set(name, transport);
      return;
    }
    unknown.delete(name);
    open.set(name, { member: input.open(name, { transport, heartbeatMs, position: open.size }), heartbeatMs });
  }

  return {
    async follow(wanted) {
      close(wanted);
      const before = new Map(unknown);
      for (const name of wanted.keys()) if (!askedSince.has(name)) askedSince.set(name, input.clock.now());
      await Promise.all([...wanted].map(async ([name, ms]) => (open.has(name) ? undefined : openOne(name, ms))));
      const news = new Map([...unknown].filter(([name, cause]) => before.get(name) !== cause));
      const [first] = news.keys();
      if (first === undefined) return;
      const spare = spareContexts(input.contexts, new Set(wanted.keys()));
      const all = [...messagesOf(news), ...(spare ? [`${spare.text}: ${spare.fix}`] : [])];
      for (const message of all) input.changed(first, message, true);
    },
    open,
    unknown,
    askedSince,
    closedRequests: () => closedRequests,
  };
}

/** One for each cause: a fleet of a thousand members may be started with another kubeconfig. */
function messagesOf(unknown: ReadonlyMap<ClusterName, string>): string[] {
  const byCause = Map.groupBy([...unknown].sort(), ([, cause]) => cause);
  return [...byCause].map(([cause, those]) => `${shortList(those.map(([name]) => name))} cannot be reached: ${cause}`);
}

/** A member whose connection cannot be opened is unreachable, and must not block the others. */
async function connection(connect: Connect, name: ClusterName): Promise<Transport | string> {
  try {
    const unheardOf = 'no kubeconfig has this member: add a context (or a file) with its name to what --members names';
    return (await connect(name)) ?? unheardOf;
  } catch (error) {
    return messageOf(error);
  }
}
