import type { PriceList } from '../api/gitfleet.ts';
import type { MemberCluster } from '../api/member-cluster.ts';
import type { ClusterName } from '../api/meta.ts';
import { nodeDisruptionAnnotation } from '../api/nodes/disruption-modes.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { HubObject } from '../engine/input.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { Actor } from '../members/actor.ts';
import { type MemberLimits, memberLimits } from '../members/api-server/member-limits.ts';
import { sharedLimits } from '../members/api-server/shared-limits.ts';
import type { Transport } from '../members/api-server/transport.ts';
import { weightOf } from '../members/api-server/weight-of.ts';
import type { Assignment } from '../members/assignment.ts';
import { type Clock, sleep } from '../members/clock.ts';
import { fewAtOnce } from '../members/few-at-once.ts';
import { type Member, type MemberProviders, openMember } from '../members/member.ts';
import type { Currency } from '../members/property-reading.ts';
import type { ProviderSetting } from '../members/upgrade/provider.ts';
import { providerOf } from '../members/upgrade/provider-setting.ts';
import { membersApart } from './members-apart.ts';
import { type Connect, type OpenMembers, openMembers } from './open-members.ts';

/** All members of the fleet: opened when their file is added, closed when it is removed. */
export interface FleetMembers {
  /** Opens and closes members so that exactly those of the fleet repo are open. */
  follow(
    clusters: readonly MemberCluster[],
    fleet: { readonly priceLists: readonly PriceList[]; readonly resources: readonly HubObject[] },
  ): Promise<void>;
  assign(
    assignments: ReadonlyMap<ClusterName, readonly Assignment[]>,
    /** Whether the record no longer has a target on a cluster, though the record is not lost. */
    isForgotten?: (cluster: ClusterName, target: Actor['target']) => boolean,
  ): void;
  /** How current plans need properties of members: their versions, nodes and pods. */
  needProperties(needed: Currency): void;
  /** Reads properties that were not read since the instant of their member, milliseconds. Waits at most `ms` of pace. */
  readSince(instants: ReadonlyMap<ClusterName, number>, ms: number): Promise<void>;
  /** The record was read, and confirms the assignments. */
  confirm(): void;
  /** True when another daemon changed a member otherwise than assigned: all targets must be assigned again. */
  readonly disputed: () => boolean;
  /** A member that has not responded yet has an observation from the epoch. */
  observations(): Map<ClusterName, ClusterObservation>;
  /** Since when this daemon has tried to reach each member without a break, milliseconds of the fleet's time. */
  askedSince(): ReadonlyMap<ClusterName, number>;
  /** Members that do not respond, by name, with the cause. */
  unreachable(): Map<ClusterName, string>;
  /** True when there are members and none of them could be observed. */
  readonly noneSeen: () => boolean;
  /** Resolves when every member is idle, or after `ms` of pace. */
  settled(ms: number): Promise<void>;
  /** Resolves when every member has responded once, or after `ms` of pace. */
  looked(ms: number): Promise<void>;
  /**
   * Finds our objects of every kind, for a lost record. Waits for each member at most `ms` of pace; a slower one is swept further, and
   * its observation is incomplete until then.
   * @param names Default: all members.
   */
  sweep(ms: number, names?: ReadonlySet<ClusterName>): Promise<void>;
  /** Members that were swept, and those whose sweep has not begun. */
  swept(): Readonly<Record<'whole' | 'never', ReadonlySet<ClusterName>>>;
  readonly size: () => number;
  /** Requests sent so far, also to members that are closed. */
  readonly requests: () => number;
  /** Number of members with work in progress. */
  readonly busy: () => number;
  /** Starts nothing new; resolves when every change sent to a member has its response. */
  finish(): Promise<void>;
  stop(): void;
}

/** How often a member that is not watched is listed. */
const pollMs = 60_000;

export interface FleetMembersInput extends MemberProviders {
  readonly connect: Connect;
  readonly clock: Clock;
  /** Real time, for waits of the daemon. */
  readonly pace: Clock;
  readonly changed: (cluster: ClusterName, message?: string, isTrouble?: boolean) => void;
  /** Number of members with open watches. In members opened later, our objects are listed every minute. */
  readonly watchMembers: number;
  /** Contexts of the kubeconfig, or files of the directory, at the start: named where members lack one. */
  readonly contexts?: readonly string[] | undefined;
  /** Another daemon changes this member. */
  readonly conflict: (cluster: ClusterName) => void;
  /** Largest age of the record as read, milliseconds. */
  readonly recordAgeMs: number;
  /** Of what members send; the usual ones when absent. */
  readonly limits?: MemberLimits | undefined;
}

/** The members of a fleet; none is connected before `follow` names it. */
export function fleetMembers(input: FleetMembersInput): FleetMembers {
  const writes = inFlight();
  const shared = fewAtOnce(input.pace);
  const limits = sharedLimits(input.limits);
  const apart = membersApart(input.changed);
  let prices: readonly PriceList[] = [];
  let needsProperties: Currency = 'hour';
  let disputed = false;
  let settings: ReadonlyMap<ClusterName, ProviderSetting | undefined> = new Map();
  /** When the record last confirmed the assignments, milliseconds of the fleet's time. */
  let knownAt = Number.NEGATIVE_INFINITY;
  const opened = openMembers({
    connect: (name) => input.connect(name, settings.get(name)),
    clock: input.clock,
    contexts: input.contexts ?? [],
    changed: input.changed,
    open: (name, { transport, heartbeatMs, position }) =>
      apart.opened(
        openMember({
          name,
          transport: writes.through(transport),
          clock: input.clock,
          fewAtOnce: shared,
          shared: limits,
          heartbeatMs,
          pollMs: position < input.watchMembers ? undefined : pollMs,
          priceLists: () => prices,
          needsProperties: () => needsProperties,
          providers: input.providers,
          launchers: input.launchers,
          knownAt: () => knownAt,
          events: {
            changed: input.changed,
            conflict(cluster) {
              disputed = true;
              input.conflict(cluster);
            },
            identified: apart.identified,
          },
        }),
      ),
  });
  const all = (): readonly Member[] => [...opened.open.values()].map(({ member }) => member);

  const observations = (): Map<ClusterName, ClusterObservation> => observationsOf(all(), opened.unknown);

  return {
    async follow(members, { priceLists, resources }) {
      prices = priceLists;
      limits.explain(weightOfAll(resources));
      settings = new Map(members.map((cluster) => [cluster.metadata.name, providerOf(cluster)]));
      const wanted = new Map(
        members.map(({ metadata, spec }) => [metadata.name, spec.heartbeatPeriodSeconds * 1000] as const),
      );
      await opened.follow(wanted);
      apart.keepOnly(wanted);
      for (const cluster of members) setUp(opened.open.get(cluster.metadata.name)?.member, cluster);
    },
    disputed: () => disputed,
    assign(assignments, isForgotten = () => false) {
      disputed = false;
      for (const member of all())
        member.assign(assignments.get(member.name) ?? [], (target) => isForgotten(member.name, target));
    },
    needProperties(needed) {
      needsProperties = needed;
    },
    readSince: (instants, ms) => until(input.pace, readAll(opened.open, instants), ms),
    confirm() {
      knownAt = input.clock.now() - input.recordAgeMs;
    },
    observations,
    askedSince: () => opened.askedSince,
    noneSeen() {
      const seen = [...observations().values()];
      return seen.length > 0 && seen.every(({ reachable }) => !reachable);
    },
    unreachable: () => unreachableOf(all(), opened.unknown),
    settled: (ms) => until(input.pace, () => all().every((member) => member.idle()), ms),
    looked: (ms) => until(input.pace, () => all().every((member) => member.observation().reachable), ms),
    async sweep(ms, names) {
      const wanted = all().filter(({ name }) => names?.has(name) !== false);
      await Promise.all(wanted.map((member) => sweptWithin(member, input.pace, ms)));
    },
    swept: () => ({ whole: sweptAs(all(), 'whole'), never: sweptAs(all(), 'never') }),
    size: () => opened.open.size,
    requests: () => all().reduce((sum, member) => sum + member.requests(), opened.closedRequests()),
    busy: () => all().filter((member) => !member.idle()).length,
    async finish() {
      // Without assignments actors start nothing new; requests in flight get their responses before connections close.
      for (const member of all()) member.assign([]);
      await until(input.pace, () => writes.size() === 0, Number.POSITIVE_INFINITY);
    },
    stop() {
      for (const member of all()) member.stop();
    },
  };
}

const sweptAs = (members: readonly Member[], state: 'whole' | 'never'): ReadonlySet<ClusterName> =>
  new Set(members.flatMap((member) => (member.swept() === state ? [member.name] : [])));

/** Whether all have been read. */
function readAll(open: OpenMembers['open'], instants: ReadonlyMap<ClusterName, number>): () => boolean {
  let left = instants.size;
  for (const [name, atMs] of instants)
    void open
      .get(name)!
      .member.readSince(atMs)
      .then(() => left--);
  return () => left === 0;
}

/** As the annotations of its file say. */
function setUp(member: Member | undefined, cluster: MemberCluster): void {
  member?.upgradeBy(providerOf(cluster));
  member?.observeNodes(cluster.metadata.annotations?.[nodeDisruptionAnnotation]);
}

function observationsOf(
  members: readonly Member[],
  unknown: ReadonlyMap<ClusterName, string>,
): Map<ClusterName, ClusterObservation> {
  const seen = new Map(members.map((member) => [member.name, member.observation()]));
  for (const [name, cause] of unknown) seen.set(name, notConnected(name, cause));
  return seen;
}

function unreachableOf(
  members: readonly Member[],
  unknown: ReadonlyMap<ClusterName, string>,
): Map<ClusterName, string> {
  const silent = new Map(unknown);
  for (const member of members) {
    const cause = member.unreachable();
    if (cause !== undefined) silent.set(member.name, cause);
  }
  return new Map([...silent].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The time begins with the work: a large fleet is not swept all at once. */
async function sweptWithin(member: Member, pace: Clock, ms: number): Promise<void> {
  const swept = new AbortController();
  await new Promise<void>((resolve) => {
    const work = member.sweep(() => void sleep(pace, ms, swept.signal).then(resolve));
    work.then(resolve, () => resolve());
  });
  swept.abort();
}

/** Polls `there` every few milliseconds, at most for `ms`. */
async function until(pace: Clock, there: () => boolean, ms: number): Promise<void> {
  const limit = pace.now() + ms;
  while (pace.now() < limit && !there()) await sleep(pace, 10);
}

/** What the manifests of the fleet repo take in memory, bytes. */
const weightOfAll = memoize((resources: readonly HubObject[]): number =>
  resources.reduce((sum, resource) => sum + weightOfOne(resource), 0),
);
const weightOfOne = memoize(
  ({ manifest, enveloped }: HubObject): number => weightOf([manifest, enveloped], memberLimits.nesting) ?? 0,
);

/** Counts requests in flight that change something. */
function inFlight(): { through(transport: Transport): Transport; size(): number } {
  let size = 0;
  return {
    size: () => size,
    through: (transport) => async (request) => {
      if (request.method === 'GET') return transport(request);
      size++;
      try {
        return await transport(request);
      } finally {
        size--;
      }
    },
  };
}

const notConnected = (name: ClusterName, cause: string): ClusterObservation => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'ClusterObservation',
  metadata: { name },
  observedAt: new Date(0).toISOString(),
  reachable: false,
  cause,
  complete: false,
  placements: [],
  objects: [],
  extras: [],
});
