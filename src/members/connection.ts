import type { ClusterName, ObjectRef } from '../api/meta.ts';
import { type MemberClient, memberClient } from './api-server/client.ts';
import { type Discovery, discover } from './api-server/discovery.ts';
import type { ServedKind } from './api-server/served-kind.ts';
import type { Transport } from './api-server/transport.ts';
import type { Clock } from './clock.ts';
import { type Contact, keepContact, type Standing } from './contact.ts';
import type { FewAtOnce } from './few-at-once.ts';
import { type Turns, turns } from './turns.ts';
import { type UnrecordedObjects, unrecorded } from './unrecorded-objects.ts';
import type { Change } from './watch/store.ts';
import { type Watches, watches } from './watch/watches.ts';

/** Everything that is held open to one member. */
export interface Connection {
  readonly client: MemberClient;
  readonly discovery: Discovery;
  readonly watches: Watches;
  readonly contact: Contact;
  readonly clock: Clock;
  /** For each object: of two placements that find it missing only one may make it, and the other must see whose it is. */
  readonly objectTurns: Turns;
  /** What takes many requests, of this member and of all others. */
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
  readonly pollMs: number | undefined;
  /** Instant at which the record wanted what is assigned, milliseconds. */
  readonly knownAt: () => number;
  readonly fewAtOnce: FewAtOnce;
  readonly life: AbortSignal;
  readonly probed: (before: Standing) => void;
  /** The objects of a kind that assignments name. */
  readonly named: (kind: ServedKind) => readonly ObjectRef[];
  readonly changed: (change: Change) => void;
  /** A watch broke, was refused, or is whole again; with a message when a person must act. */
  readonly turned: (message?: string) => void;
}): Connection {
  const { clock, pollMs, named, changed, turned } = input;
  const client = memberClient(input);
  const discovery = discover(client);
  const contact = keepContact({ ...input, client });
  const seen = watches({ client, clock, contact, discovery, pollMs, named, changed, turned });
  input.life.addEventListener('abort', () => seen.stop(), { once: true });
  return {
    client,
    discovery,
    watches: seen,
    contact,
    clock,
    objectTurns: turns(),
    fewAtOnce: input.fewAtOnce,
    unrecorded: unrecorded(clock, input.knownAt),
  };
}
