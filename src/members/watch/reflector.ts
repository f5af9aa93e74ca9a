import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { placementLabel } from '../../engine/overrides/ownership.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import type { Discovery } from '../api-server/discovery.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import type { WatchEvent } from '../api-server/watch-stream.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Contact } from '../contact.ts';
import { backOff } from './back-off.ts';
import { type ByName, byName } from './by-name.ts';
import type { KeptBytes, KeptOfKind } from './kept-bytes.ts';
import {
  type AfterList,
  type Failure,
  firstReflection,
  isSettled,
  nextReflection,
  type ReflectorEffect,
  type ReflectorEvent,
  type ReflectorState,
} from './reflection.ts';
import { type Change, objectStore, type Store } from './store.ts';

/** Objects of one kind on one member, kept up to date by a list and a watch. */
export interface Reflector<S extends ReflectedStore = Store> {
  readonly kind: ServedKind;
  readonly store: S;
  readonly state: () => ReflectorState;
  /** Whether the store covers the object, so that absence means that it does not exist or is not ours. */
  shows(key: string): boolean;
  /** Whether the store shows all objects. */
  complete(): boolean;
  /** Instant up to which the store is current, milliseconds; Infinity while it is empty. */
  readonly asOf: () => number;
  /** Resolves when the named objects have been read, at the first response of the server, or when stopped. */
  ready(): Promise<void>;
  /** We changed an object: without a watch it is read again soon. */
  touched(): void;
  stop(): void;
}

export type ReflectedStore = Pick<Store, 'replace' | 'set' | 'remove' | 'passed' | 'empty'>;

/** Which objects of a kind are listed and watched, and where they are kept. */
export interface Scope<S extends ReflectedStore> {
  readonly query: Readonly<Record<string, string>>;
  readonly store: S;
  /** What a list keeps of each object; absent: all of it. */
  readonly keep?: (object: Manifest) => Manifest;
  /** Hears what a list takes while it is received, bytes. */
  readonly reading: (bytes: number) => void;
  /** How objects are read where they may not be listed; absent: they are not. */
  readonly byName?: () => ByName;
}

export interface ReflectorInput {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly contact: Contact;
  readonly discovery: Discovery;
  /** Lists this often instead of watching, milliseconds: for fleets with more members than sockets. */
  readonly pollMs?: number | undefined;
  /** The state changed, and with it perhaps the completeness of the observation. With a message when someone must act. */
  readonly turned: (message?: string) => void;
}

export interface LabelledInput extends ReflectorInput {
  readonly kept: KeptBytes;
  /** The objects of a kind that assignments name: the ones to read if it may not be listed. */
  readonly named: (kind: ServedKind) => readonly ObjectRef[];
  readonly changed: (change: Change) => void;
}

/** Reflects the objects of a kind that carry our label. */
export function reflectLabelled(input: LabelledInput, kind: ServedKind): Reflector {
  const bytes = input.kept.open();
  const store = objectStore(input.changed, bytes);
  const scope: Scope<Store> = {
    query: { labelSelector: placementLabel },
    store,
    reading: bytes.reading,
    byName: () => byName({ ...input, kind, store, named: () => input.named(kind) }),
  };
  return reflect(input, kind, { scope, bytes });
}

/** Performs the effects of `nextReflection` in sequence until it is stopped or the kind is no longer served. */
export function reflect<S extends ReflectedStore>(
  input: ReflectorInput,
  kind: ServedKind,
  { scope, bytes }: { readonly scope: Scope<S>; readonly bytes: KeptOfKind },
): Reflector<S> {
  const { clock, contact } = input;
  const { store } = scope;
  const stop = new AbortController();
  const pauses = backOff(clock, stop.signal);
  const responded = Promise.withResolvers<void>();
  let reflection = firstReflection(input.pollMs !== undefined);
  /** Present while the kind may not be listed. */
  let named: ByName | undefined;

  function dispatch(event: ReflectorEvent): readonly ReflectorEffect[] {
    const step = nextReflection(reflection, event);
    reflection = step.reflection;
    if (!reflection.byName) named = undefined;
    if (isResponse(reflection.state)) responded.resolve();
    return step.effects;
  }

  async function perform(effect: ReflectorEffect): Promise<ReflectorEvent | undefined> {
    switch (effect.kind) {
      case 'restart':
        return { kind: 'started', reachable: contact.reachability().kind === 'reachable' };
      case 'connect':
        await contact.open();
        return { kind: 'connected' };
      case 'list':
        return list(input, { kind, scope, next: effect.next });
      case 'replace':
        scope.reading(0);
        store.replace(effect.items, effect.version);
        return { kind: 'listed', version: effect.version, next: effect.next };
      case 'readNamed':
        named ??= scope.byName!();
        await named.read();
        return { ...effect, kind: 'namedRead' };
      case 'watch':
        return watch({ ...input, kind, query: scope.query, from: effect.from, stop: stop.signal, take });
      case 'poll':
        await sleep(clock, input.pollMs! * (0.9 + Math.random() * 0.2), stop.signal);
        return { kind: 'polled' };
      case 'pause':
        return void (await pauses.pause(effect.longestMs));
      case 'pauseUnlessFirst':
        return void (await pauses.pauseUnlessFirst());
      case 'resetPauses':
        return void pauses.reset();
      case 'doubtContact':
        return void contact.doubt();
      case 'checkServed':
        return (await isUnserved(input, kind)) ? { kind: 'unserved' } : { kind: 'failed', failure: effect.failure };
      case 'empty':
        store.empty();
        return { kind: 'emptied' };
      case 'report':
        if (!stop.signal.aborted) input.turned(effect.message);
        return undefined;
      default:
        return assertNever(effect);
    }
  }

  function take(event: WatchEvent): void {
    const version = event.object.metadata['resourceVersion'] as string | undefined;
    for (const effect of dispatch({ kind: 'watchResponded', version, atMs: clock.now() })) void perform(effect);
    storeEvent(store, { event, kind, version: reflection.version! });
  }

  void inSequence({ dispatch, perform, stop: stop.signal }).then(() => responded.resolve());
  return {
    kind,
    store,
    state: () => reflection.state,
    shows: (key) => isSettled(reflection.state) && (!named || named.shows(key)),
    complete: () => isSettled(reflection.state) && (!named || named.complete()),
    asOf: () => (named ? named.asOf() : reflection.asOf),
    async ready() {
      await responded.promise;
      if (named && !stop.signal.aborted) await readMissing(named);
    },
    touched() {
      if (named) pauses.nudge();
    },
    stop() {
      stop.abort();
      bytes.end();
    },
  };
}

/** Events lead to effects, and an effect to the next event, until there is none. */
async function inSequence(machine: {
  readonly dispatch: (event: ReflectorEvent) => readonly ReflectorEffect[];
  readonly perform: (effect: ReflectorEffect) => Promise<ReflectorEvent | undefined>;
  readonly stop: AbortSignal;
}): Promise<void> {
  const { dispatch, perform, stop } = machine;
  let event: ReflectorEvent | undefined = { kind: 'started', reachable: true };
  while (event !== undefined && !stop.aborted) {
    try {
      for (const effect of dispatch(event)) {
        event = await perform(effect);
        if (stop.aborted) break;
      }
    } catch (error) {
      event = { kind: 'failed', failure: failureOf(error) };
    }
  }
}

/** `version`: the store is current up to it after the event. */
function storeEvent(
  store: ReflectedStore,
  { event, kind, version }: { readonly event: WatchEvent; readonly kind: ServedKind; readonly version: string },
): void {
  const object = { ...event.object, apiVersion: kind.apiVersion, kind: kind.kind };
  if (event.type === 'BOOKMARK') store.passed(version);
  else if (event.type === 'DELETED') store.remove(object, version);
  else store.set(object);
}

async function readMissing(named: ByName): Promise<void> {
  try {
    await named.catchUp();
  } catch (error) {
    // The next read reports it.
    if (!(error instanceof ApiError)) throw error;
  }
}

async function list(
  { client, clock }: ReflectorInput,
  { kind, scope, next }: { readonly kind: ServedKind; readonly scope: Scope<ReflectedStore>; readonly next: AfterList },
): Promise<ReflectorEvent> {
  const atMs = clock.now();
  try {
    const { query, keep, reading } = scope;
    const { items, resourceVersion: version } = await client.list(pathOf(kind, {}), query, {
      reading,
      ...(keep && { keep }),
    });
    return { kind: 'listReceived', items, version, atMs, next };
  } catch (error) {
    if (!isForbidden(error) || scope.byName === undefined) throw error;
    const often = 'gitfleet reads them one by one, at last every 5 minutes';
    return {
      kind: 'listForbidden',
      reason: `${error.message}: ${kind.plural} cannot be watched, ${often}`,
      next,
    };
  }
}

async function watch(of: {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly kind: ServedKind;
  readonly query: Scope<ReflectedStore>['query'];
  readonly from: string;
  readonly stop: AbortSignal;
  readonly take: (event: WatchEvent) => void;
}): Promise<ReflectorEvent> {
  const { client, clock, kind, query } = of;
  const began = clock.now();
  try {
    const end = await client.watch(pathOf(kind, {}), { ...query, resourceVersion: of.from }, of.stop, of.take);
    return { kind: 'watchEnded', silent: end === 'silent', lastedMs: clock.now() - began };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return {
      kind: 'watchForbidden',
      reason: `${error.message}: ${kind.plural} are listed every minute instead`,
    };
  }
}

async function isUnserved({ discovery }: ReflectorInput, kind: ServedKind): Promise<boolean> {
  discovery.forget(kind.apiVersion);
  try {
    return (await discovery.find(kind.apiVersion, kind.kind)) === undefined;
  } catch {
    return false;
  }
}

const isResponse = ({ kind }: ReflectorState): boolean => kind !== 'listing' && kind !== 'broken';

const isForbidden = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 403;

function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) return { kind: 'broke', message: String(error) };
  if (error.status === 410) return { kind: 'expired' };
  return {
    kind: error.status === 404 ? 'missing' : 'refused',
    message: error.message,
    lasting: !error.transient,
  };
}
