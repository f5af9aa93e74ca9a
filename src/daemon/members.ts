import type { PriceList } from '../api/gitfleet.ts';
import type { MemberCluster } from '../api/member-cluster.ts';
import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Assignment } from '../members/assignment.ts';
import type { Clock } from '../members/clock.ts';
import { type Member, openMember } from '../members/member.ts';
import type { Transport } from '../members/transport.ts';

/** Opens a connection to a member by name; undefined when nobody knows how to reach it. */
export type Connect = (name: ClusterName) => Promise<Transport | undefined>;

/** All members of the fleet: opened when their file appears, closed when it goes. */
export interface FleetMembers {
  /** Opens and closes members so that exactly those of the fleet repo are open. */
  follow(clusters: readonly MemberCluster[], priceLists: readonly PriceList[]): Promise<void>;
  assign(assignments: ReadonlyMap<ClusterName, readonly Assignment[]>): void;
  sightings(): Map<ClusterName, ClusterObservation>;
  /** Resolves when every member is idle, or after `ms` of real time. */
  settled(ms: number): Promise<void>;
  /** Resolves when every member has answered once, or after `ms` of real time. */
  looked(ms: number): Promise<void>;
  /** Finds objects of ours of every kind: for the day when the record is lost. */
  sweep(): Promise<void>;
  readonly size: () => number;
  readonly requests: () => number;
  stop(): void;
}

export function fleetMembers(input: {
  readonly connect: Connect;
  readonly clock: Clock;
  readonly changed: (cluster: ClusterName, message?: string) => void;
}): FleetMembers {
  const open = new Map<ClusterName, { readonly member: Member; readonly heartbeatMs: number }>();
  const unknown = new Set<ClusterName>();
  let prices: readonly PriceList[] = [];

  return {
    async follow(clusters, priceLists) {
      prices = priceLists;
      const wanted = new Map(
        clusters.map((cluster) => [cluster.metadata.name, cluster.spec.heartbeatPeriodSeconds * 1000]),
      );
      for (const [name, { member, heartbeatMs }] of open) {
        if (wanted.get(name) === heartbeatMs) continue;
        member.stop();
        open.delete(name);
      }
      for (const name of unknown) if (!wanted.has(name)) unknown.delete(name);
      await Promise.all(
        [...wanted].map(async ([name, heartbeatMs]) => {
          if (open.has(name)) return;
          const transport = await input.connect(name);
          if (!transport) {
            unknown.add(name);
            return;
          }
          unknown.delete(name);
          const member = openMember({
            name,
            transport,
            clock: input.clock,
            heartbeatMs,
            priceLists: () => prices,
            events: { changed: input.changed },
          });
          open.set(name, { member, heartbeatMs });
        }),
      );
    },
    assign(assignments) {
      for (const [name, { member }] of open) member.assign(assignments.get(name) ?? []);
    },
    sightings() {
      const all = new Map([...open].map(([name, { member }]) => [name, member.sighting()]));
      for (const name of unknown) all.set(name, notConnected(name));
      return all;
    },
    async settled(ms) {
      const until = Date.now() + ms;
      while (Date.now() < until && [...open.values()].some(({ member }) => !member.idle())) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async looked(ms) {
      const until = Date.now() + ms;
      while (Date.now() < until && [...open.values()].some(({ member }) => !member.sighting().reachable)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async sweep() {
      await Promise.allSettled([...open.values()].map(({ member }) => member.sweep()));
    },
    size: () => open.size,
    requests: () => [...open.values()].reduce((sum, { member }) => sum + member.requests(), 0),
    stop() {
      for (const { member } of open.values()) member.stop();
    },
  };
}

const notConnected = (name: ClusterName): ClusterObservation => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'ClusterObservation',
  metadata: { name },
  observedAt: new Date(0).toISOString(),
  reachable: false,
  cause: 'no kubeconfig knows this member: add a context (or a file) of its name to what --members names',
  complete: false,
  placements: [],
  objects: [],
  nodes: [],
  pods: [],
  extras: [],
});
