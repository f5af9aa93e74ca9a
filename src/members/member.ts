import type { PriceList } from '../api/gitfleet.ts';
import type { ClusterName } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { isNodePool } from '../engine/node-pools/pool.ts';
import type { Actor } from './actor.ts';
import { type Actors, memberActors } from './actors.ts';
import type { SharedLimits } from './api-server/shared-limits.ts';
import type { Transport } from './api-server/transport.ts';
import type { Assignment } from './assignment.ts';
import type { Clock } from './clock.ts';
import { type Connection, connect } from './connection.ts';
import type { Reachability } from './contact-state.ts';
import { servedBy } from './crd.ts';
import type { FewAtOnce } from './few-at-once.ts';
import { type Inspection, inspection } from './inspection.ts';
import { type Launching, launching, type OpenLauncher } from './nodes/launch/launching.ts';
import { type NodeObservation, type NodeWatch, nodeWatch } from './nodes/node-watch.ts';
import { observationOf, unobserved } from './observation.ts';
import type { Currency } from './property-reading.ts';
import type { ProviderSetting } from './upgrade/provider.ts';
import { type OpenProviders, type UpgradeWatch, upgradeWatch } from './upgrade/upgrade-watch.ts';
import { type WaitingPods, waitingPods } from './waiting-pods.ts';
import type { Change } from './watch/store.ts';

/** One member cluster: its connection, its observation, and one actor for each target. */
export interface Member {
  readonly name: ClusterName;
  /**
   * Replaces the assignments of the member. If a target is omitted and the record no longer has it here, the objects that were
   * created for it are removed. Undefined: nothing may be changed there, and what is there counts as unknown until the next ones.
   */
  assign(assignments: readonly Assignment[] | undefined, isForgotten?: (target: Actor['target']) => boolean): void;
  /** Who upgrades it; undefined = no one. */
  upgradeBy(setting: ProviderSetting | undefined): void;
  /** Watches its nodes and pods, also while no NodePool is placed there; in mode execute also what its provider launches. */
  observeNodes(mode: string | undefined): void;
  /** The state of the member at its last contact. The same value as long as nothing changed. */
  observation(): ClusterObservation;
  /** Why it does not respond; undefined while it does, and before the first probe. */
  readonly unreachable: () => string | undefined;
  /** True once every assignment has had an attempt, or the member cannot be reached. */
  idle(): boolean;
  /** Watches every kind of which the member has objects of ours, listed in a snapshot or not. `begun`: the sweep has started. */
  sweep(begun?: () => void): Promise<void>;
  readonly swept: Inspection['swept'];
  readonly readSince: Inspection['readSince'];
  readonly requests: () => number;
  stop(): void;
}

export interface MemberEvents {
  /** Something changed that a plan may depend on; `message` is for users, a warning if it `isTrouble`. */
  readonly changed: (cluster: ClusterName, message?: string, isTrouble?: boolean) => void;
  /** Another daemon changes this member: the assignments may be out of date. */
  readonly conflict: (cluster: ClusterName) => void;
  /** What identifies its cluster was read. */
  readonly identified: (cluster: ClusterName, identity: string) => void;
}

/** What acts on members from outside. */
export interface MemberProviders {
  /** Absent: nothing can upgrade them. */
  readonly providers?: OpenProviders | undefined;
  /** Absent: only simulated clusters launch nodes. */
  readonly launchers?: OpenLauncher | undefined;
}

export interface MemberInput extends MemberProviders {
  readonly name: ClusterName;
  readonly transport: Transport;
  readonly clock: Clock;
  /** One for the whole fleet. */
  readonly fewAtOnce: FewAtOnce;
  /** One for the whole fleet. */
  readonly shared: SharedLimits;
  readonly events: MemberEvents;
  readonly heartbeatMs: number;
  /** Lists our objects this often instead of watching them, milliseconds: for fleets with more members than sockets. */
  readonly pollMs?: number | undefined;
  readonly priceLists: () => readonly PriceList[];
  /** How current plans need properties of members. */
  readonly needsProperties: () => Currency;
  /** Instant at which the record last confirmed the assignments, milliseconds. */
  readonly knownAt: () => number;
}

export function openMember(input: MemberInput): Member {
  const { name } = input;
  const life = new AbortController();
  const conflict = (): void => input.events.conflict(name);
  const actors = memberActors(() => ({ connection, upgrades, nodes, launching: launch, changed, conflict }));
  let assigned = false;
  let cached: ClusterObservation | undefined;
  const connection = connect({
    ...input,
    life: life.signal,
    probed,
    named: actors.objectsOf,
    changed: noticed,
    // Where a watch broke, the server may have been restarted with another version.
    turned: (message) => (watches.complete() ? changed : doubted)(message),
  });
  const { client, contact, discovery, unrecorded, watches } = connection;
  const upgrades = upgradesOf(input, { connection, life: life.signal, changed, inspected: () => inspected });
  const pods = waitingPods(connection, { life: life.signal, changed });
  const launch = launching({ connection, life: life.signal, changed }, input.launchers);
  const nodes = nodeWatch({ ...input, connection, pollMs: input.pollMs, life: life.signal, changed: doubted });
  const inspected = inspection(connection, {
    life: life.signal,
    priceLists: input.priceLists,
    needs: () => (upgrades.isActive() ? 'heartbeat' : input.needsProperties()),
    pollMs: input.pollMs,
    changed,
    identified: (identity) => input.events.identified(name, identity),
    replaced(before) {
      discovery.forget();
      watches.restart();
      nodes.restart();
      actors.restart(before === 'another');
      changed(before === 'another' ? `${name} is another cluster than before: everything is applied again` : undefined);
    },
  });

  function changed(message?: string, isTrouble = false): void {
    if (life.signal.aborted) return;
    cached = undefined;
    input.events.changed(name, message, isTrouble);
  }

  function doubted(message?: string): void {
    inspected.doubt();
    changed(message);
  }

  function noticed(change: Change): void {
    cached = undefined;
    for (const part of [actors, pods]) part.objectChanged(change);
    const served = servedBy(change);
    if (served) {
      for (const apiVersion of served) discovery.forget(apiVersion);
      actors.serves(served);
    }
    changed();
  }

  function probed(before: Reachability): void {
    const now = contact.reachability();
    cached = undefined;
    unrecorded.settle();
    if (contact.shown() === undefined) inspected.doubt();
    if (contact.admits()) for (const look of [inspected.look, nodes.look]) void look();
    const news = contactNews(before, now);
    if (news !== undefined) changed(news.message && `${name} ${news.message}`, now.kind === 'unreachable');
  }

  return {
    name,
    requests: client.requests,
    assign(assignments, isForgotten = () => false) {
      assigned = assignments !== undefined;
      cached = undefined;
      if (actors.assign(assignments ?? [], isForgotten)) watches.keep(actors.kinds());
      nodes.need('pools', assignments?.some(placesNodePool) ?? false);
    },
    observeNodes(mode) {
      nodes.need('annotation', mode !== undefined);
      launch.need(mode === 'execute');
    },
    upgradeBy: (setting) => [upgrades.use, launch.use].forEach((use) => void use(setting)),
    sweep: inspected.sweep,
    swept: inspected.swept,
    readSince: inspected.readSince,
    unreachable: () => causeOf(contact.reachability()),
    idle: () =>
      contact.reachability().kind === 'unreachable' || [actors, upgrades, nodes, launch].every((part) => part.idle()),
    observation: () =>
      (cached ??= observe({ name, connection, inspected, actors, upgrades, nodes, launch, pods, assigned })),
    stop() {
      life.abort();
      actors.stop();
    },
  };
}

/** The member may run another version after each change: its properties must not lag behind until the next heartbeat. */
const upgradesOf = (
  input: Pick<MemberInput, 'name' | 'clock' | 'providers'>,
  of: {
    readonly connection: Connection;
    readonly life: AbortSignal;
    readonly changed: () => void;
    readonly inspected: () => Inspection;
  },
): UpgradeWatch =>
  upgradeWatch({
    ...input,
    client: of.connection.client,
    life: of.life,
    changed() {
      of.changed();
      of.inspected().doubt();
      void of.inspected().readSince(of.connection.clock.now());
    },
  });

function observe(of: {
  readonly name: ClusterName;
  readonly connection: Connection;
  readonly inspected: Inspection;
  readonly actors: Actors;
  readonly upgrades: UpgradeWatch;
  readonly nodes: NodeWatch;
  readonly launch: Launching;
  readonly pods: WaitingPods;
  /** Assignments arrived, possibly none. */
  readonly assigned: boolean;
}): ClusterObservation {
  const { name, inspected, actors } = of;
  const { contact, watches } = of.connection;
  const reachability = contact.reachability();
  const properties = inspected.properties();
  if (reachability.kind === 'unreachable') return unobserved(name, reachability.lastHeartbeat, reachability.cause);
  if (reachability.kind === 'unknown' || !properties) return unobserved(name, undefined, 'not contacted yet');
  // Before the first assignment no actor knows what is applied, and a plan must not read that as "nothing".
  if (!of.assigned) return unobserved(name, reachability.heartbeat, 'nothing assigned yet');
  return observationOf({
    name,
    reachability,
    asOf: Math.min(reachability.heartbeat, watches.asOf(), of.nodes.asOf()),
    complete: watches.complete() && inspected.complete() && actors.complete(),
    properties,
    placements: actors.observations().flatMap(({ placements = [] }) => placements),
    objects: watches.all(),
    podCauses: of.pods.observation(),
    upgraded: of.upgrades.observation(),
    preflight: actors.observations().find(({ preflight }) => preflight),
    nodes: nodesOf(of.nodes, of.launch),
    launches: of.launch.observation(),
  });
}

/** Not known before it was tried to read launches: a plan would begin what is second best. */
function nodesOf(watch: NodeWatch, launch: Launching): NodeObservation | undefined {
  const seen = watch.observation();
  if (seen === undefined || launch.idle()) return seen;
  return { extras: seen.extras, notListed: [...(seen.notListed ?? []), 'launches: not read yet'] };
}

const causeOf = (reachability: Reachability): string | undefined =>
  reachability.kind === 'unreachable' ? reachability.cause : undefined;

/** A NodePool among its objects: its nodes have to be known. */
const placesNodePool = (assignment: Assignment): boolean =>
  assignment.kind === 'placement' && assignment.manifests.some(({ manifest }) => isNodePool(manifest));

/** The change that a probe found, if a plan may depend on it; with a message for users. */
function contactNews(before: Reachability, now: Reachability): { readonly message?: string } | undefined {
  if (now.kind === 'unreachable')
    return before.kind === 'unreachable' ? undefined : { message: `cannot be reached: ${now.cause}` };
  if (now.kind !== 'reachable') return undefined;
  if (before.kind === 'unreachable') return { message: 'responds again' };
  return before.kind === 'reachable' && now.healthy !== before.healthy ? {} : undefined;
}
