import type { ClusterName, ObjectRef } from '../api/meta.ts';
import type { BeyondLimit } from './api-server/api-error.ts';
import { type MemberClient, memberClient } from './api-server/client.ts';
import { type Discovery, discover } from './api-server/discovery.ts';
import type { ServedKind } from './api-server/served-kind.ts';
import type { SharedLimits } from './api-server/shared-limits.ts';
import type { Transport } from './api-server/transport.ts';
import type { Clock } from './clock.ts';
import { type Contact, keepContact } from './contact.ts';
import type { Reachability } from './contact-state.ts';
import type { FewAtOnce } from './few-at-once.ts';
import { type KeyedQueue, keyedQueue } from './keyed-queue.ts';
import { type UnrecordedObjects, unrecorded } from './unrecorded-objects.ts';
import { type KeptBytes, keptBytes } from './watch/kept-bytes.ts';
import type { Change } from './watch/store.ts';
import { type Watches, watches } from './watch/watches.ts';

/** The open connection to one member, with its watches and queues. */
export interface Connection {
  readonly client: MemberClient;
  readonly discovery: Discovery;
  readonly kept: KeptBytes;
  readonly watches: Watches;
  readonly contact: Contact;
  readonly clock: Clock;
  /** One queue per object: if two placements miss it, one creates it and the other sees its owner. */
  readonly objectQueue: KeyedQueue;
  /** Limits work with many requests, across all members. */
  readonly fewAtOnce: FewAtOnce;
  readonly unrecorded: UnrecordedObjects;
}

/** Opens what a member needs; all of it ends with `life`. */
export function connect(input: {
  readonly name: ClusterName;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** Lists this often instead of watching, milliseconds. */
  readonly pollMs?: number | undefined;
  /** Instant at which the record last confirmed the assignments, milliseconds. */
  readonly knownAt: () => number;
  readonly fewAtOnce: FewAtOnce;
  /** One for the whole fleet. */
  readonly shared: SharedLimits;
  readonly life: AbortSignal;
  readonly probed: (before: Reachability) => void;
  /** The objects of a kind that assignments name. */
  readonly named: (kind: ServedKind) => readonly ObjectRef[];
  readonly changed: (change: Change) => void;
  /** A watch broke, was refused, or recovered; with a message when someone must act. */
  readonly turned: (message?: string) => void;
}): Connection {
  const { clock, life, pollMs, named, changed, turned, shared } = input;
  const client = memberClient({ ...input, refused });
  const discovery = discover(client);
  const contact = keepContact({ ...input, client });
  const kept = keptBytes(input.name, { shared, life, refused });
  const seen = watches({ client, clock, contact, discovery, kept, pollMs, named, changed, turned });

  /** Releases everything that was read of the member; it is read again after the refusal. */
  function refused(error: BeyondLimit): void {
    if (!contact.refuse(error.message)) return;
    client.abort(error);
    discovery.forget();
    seen.restart();
  }

  input.life.addEventListener('abort', () => seen.stop(), { once: true });
  return {
    client,
    discovery,
    kept,
    watches: seen,
    contact,
    clock,
    objectQueue: keyedQueue(),
    fewAtOnce: input.fewAtOnce,
    unrecorded: unrecorded(clock, input.knownAt),
  };
}
