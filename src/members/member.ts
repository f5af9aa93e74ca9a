import type { PriceList } from '../api/gitfleet.ts';
import type { ClusterName, PlacementKey } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { type PlacementActor, placementActor } from './actor.ts';
import { ApiError } from './api-error.ts';
import { placementLabel } from './apply.ts';
import type { Assignment } from './assignment.ts';
import { memberClient } from './client.ts';
import { type Clock, sleep } from './clock.ts';
import { discover, pathOf } from './discovery.ts';
import { collectProperties, type Properties } from './properties.ts';
import type { Transport } from './transport.ts';
import { watches } from './watches.ts';

/** One member cluster: a connection, what we know of it, and one actor for each placement on it. */
export interface Member {
  readonly name: ClusterName;
  /** Replaces everything the member should hold of any placement. */
  assign(assignments: readonly Assignment[]): void;
  /** What the member looked like at its last contact. The same value as long as nothing changed. */
  sighting(): ClusterObservation;
  /** True once every assignment has had a conclusive attempt, or the member cannot be reached. */
  idle(): boolean;
  /** Watches every kind of which the member holds objects of ours, whether a snapshot names it or not. */
  sweep(): Promise<void>;
  readonly requests: () => number;
  stop(): void;
}

export interface MemberEvents {
  /** Something changed that a plan may depend on; `message` when a person should read it. */
  readonly changed: (cluster: ClusterName, message?: string) => void;
}

/** Requests in a row that got no answer before the member counts as unreachable. */
const missedContacts = 2;

export function openMember(input: {
  readonly name: ClusterName;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly events: MemberEvents;
  readonly heartbeatMs: number;
  readonly priceLists: () => readonly PriceList[];
}): Member {
  const { name, clock } = input;
  const stop = new AbortController();
  const client = memberClient({ name, transport: input.transport, clock });
  const discovery = discover(client);
  const actors = new Map<PlacementKey, PlacementActor>();
  let assigned = false;
  let misses = 0;
  let cause: string | undefined = 'not contacted yet';
  let healthy: { readonly value: boolean; readonly since: number } | undefined;
  let heartbeat: number | undefined;
  let properties: Properties | undefined;
  let cached: ClusterObservation | undefined;

  const changed = (message?: string) => {
    cached = undefined;
    input.events.changed(name, message);
  };

  const seen = watches({
    client,
    clock,
    changed: (object, how, manager) => {
      cached = undefined;
      for (const actor of actors.values()) actor.noticed(object, how, manager);
      input.events.changed(name);
    },
    failed: (error) => missed(error),
  });

  function missed(error: unknown): void {
    if (stop.signal.aborted) return;
    // An answer is an answer: 403 or 500 means reachable, and the objects concerned say what is wrong.
    if (error instanceof ApiError) return;
    misses++;
    const text = error instanceof Error ? error.message : String(error);
    if (misses >= missedContacts && cause === undefined) {
      cause = text;
      changed(`${name} cannot be reached: ${text}`);
    }
  }

  async function beat(): Promise<void> {
    try {
      const ok = await ready();
      misses = 0;
      heartbeat = clock.now();
      const wasUnreachable = cause !== undefined;
      const first = healthy === undefined;
      if (healthy?.value !== ok) healthy = { value: ok, since: clock.now() };
      const collected = await collectProperties({ client, priceLists: input.priceLists(), now: clock.now() });
      const moved = JSON.stringify(collected.status) !== JSON.stringify(properties?.status);
      properties = collected;
      cause = undefined;
      cached = undefined;
      if (wasUnreachable && !first) changed(`${name} answers again`);
      else if (wasUnreachable || moved) changed();
    } catch (error) {
      missed(error);
      if (error instanceof ApiError) {
        heartbeat = clock.now();
        const text = error.message;
        if (cause !== text) {
          cause = text;
          changed(`${name} refuses us: ${text}`);
        }
      }
    }
  }

  async function ready(): Promise<boolean> {
    try {
      await client.request({ method: 'GET', path: '/readyz', headers: { accept: 'text/plain' } });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status >= 500) return false;
      throw error;
    }
  }

  async function keepContact(): Promise<void> {
    while (!stop.signal.aborted) {
      await beat();
      // KubeFleet's agents spread their beats by five per cent so that a fleet does not report in one breath.
      const next =
        cause === undefined ? input.heartbeatMs * (0.95 + Math.random() * 0.1) : Math.min(input.heartbeatMs, 5_000);
      await sleep(clock, next, stop.signal);
    }
  }

  void keepContact();

  return {
    name,
    requests: client.requests,
    assign(assignments) {
      assigned = true;
      const keys = new Set(assignments.map(({ key }) => key));
      for (const [key, actor] of actors) {
        if (keys.has(key)) continue;
        actor.stop();
        actors.delete(key);
        cached = undefined;
      }
      for (const assignment of assignments) {
        let actor = actors.get(assignment.key);
        if (!actor) {
          actor = placementActor({ client, discovery, watches: seen, clock, changed, unreachable: missed });
          actors.set(assignment.key, actor);
        }
        actor.assign(assignment);
      }
      cached = undefined;
    },
    async sweep() {
      const kinds = (await discovery.all()).filter(
        (kind) => kind.verbs.includes('list') && kind.verbs.includes('watch'),
      );
      await Promise.all(
        kinds.map(async (kind) => {
          const page = await client.list(pathOf(kind, {}), { labelSelector: placementLabel }).catch(() => undefined);
          if (page && page.items.length > 0) await seen.follow(kind);
        }),
      );
      changed();
    },
    idle: () => cause !== undefined || [...actors.values()].every((actor) => actor.idle()),
    sighting() {
      cached ??= see();
      return cached;
    },
    stop() {
      stop.abort();
      seen.stop();
      for (const actor of actors.values()) actor.stop();
    },
  };

  function see(): ClusterObservation {
    const at = new Date(heartbeat ?? 0).toISOString();
    const head = {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ClusterObservation',
      metadata: { name },
      observedAt: at,
    } as const;
    const empty = { placements: [], objects: [], nodes: [], pods: [], extras: [] };
    if (cause !== undefined || !assigned || properties === undefined) {
      return { ...head, reachable: false, cause: cause ?? 'nothing assigned yet', complete: false, ...empty };
    }
    const since = (ms: number) => new Date(ms).toISOString();
    return {
      ...head,
      reachable: true,
      complete: seen.complete(),
      ...empty,
      memberStatus: {
        ...properties.status,
        agentStatus: [
          {
            type: 'MemberAgent',
            lastReceivedHeartbeat: at,
            conditions: [
              { type: 'Joined', status: 'True', reason: 'ContactEstablished' },
              {
                type: 'Healthy',
                status: healthy?.value ? 'True' : 'False',
                reason: healthy?.value ? 'ReadyzSucceeded' : 'ReadyzFailed',
                ...(healthy ? { lastTransitionTime: since(healthy.since) } : {}),
              },
            ],
          },
        ],
      },
      placements: [...actors.values()].flatMap((actor) => actor.sighting() ?? []),
      objects: seen.all(),
      versions: properties.versions,
      nodes: [],
    };
  }
}
