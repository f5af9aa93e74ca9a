import { messageOf } from '../../api/message-of.ts';
import type { Manifest } from '../../api/meta.ts';
import type { Connection } from '../connection.ts';
import type { KeptBytes, KeptOfKind } from '../watch/kept-bytes.ts';
import { type Reflector, reflect, type Scope } from '../watch/reflector.ts';
import { keptOf } from './kept-fields.ts';
import { type SeenObjects, seenObjects } from './seen-objects.ts';
import { type WatchedKind, watchedKinds } from './watched-kinds.ts';

/** The lists of one member that plans for nodes read, each kept up to date by a watch. */
export interface NodeLists {
  /** The same list as long as nothing changed. */
  listed(kind: string): Manifest[];
  /** Objects of all kinds but these two. */
  others(): Manifest[];
  /** Why a list is missing, by kind. */
  faults(): readonly { readonly of: WatchedKind; readonly fault: string }[];
  /** Instant up to which all are current, milliseconds; Infinity when they are empty. */
  asOf(): number;
  /** Looks for kinds that were not served before. */
  look(): void;
  /** False until every list has had a response. */
  idle(): boolean;
  stop(): void;
}

interface List {
  readonly of: WatchedKind;
  /** Undefined: the member does not serve the kind, as far as is known. */
  reflector: Reflector<SeenObjects> | undefined;
  wasListed: boolean;
  /** Why discovery failed. */
  trouble: string | undefined;
  hasResponse: boolean;
}

export function nodeLists(input: {
  readonly connection: Connection;
  readonly kept: KeptBytes;
  readonly pollMs: number | undefined;
  /** Something of a kind changed; `gone`: the object as it was last, if it is no longer there. */
  readonly changed: (of: Pick<WatchedKind, 'isUrgent' | 'isPlannedWith'>, gone?: Manifest) => void;
  /** A watch broke, was refused or recovered; with a message when someone must act. */
  readonly turned: (message?: string) => void;
}): NodeLists {
  const { connection, kept, pollMs, changed, turned } = input;
  const lists = watchedKinds.map(
    (of): List => ({ of, reflector: undefined, wasListed: false, trouble: undefined, hasResponse: false }),
  );
  let stopped = false;

  async function find(list: List): Promise<void> {
    const { apiVersion, kind } = list.of;
    const before = { ...list };
    try {
      await connection.contact.open();
      const served = stopped ? undefined : await connection.discovery.find(apiVersion, kind);
      if (stopped || list.reflector) return;
      list.trouble = undefined;
      if (served) {
        const bytes = kept.open();
        const scope = scopeOf(list.of, bytes, ({ gone }) => changed(list.of, gone));
        list.reflector = reflect({ ...connection, pollMs, turned }, served, { scope, bytes });
        await list.reflector.ready();
      }
    } catch (error) {
      list.trouble = messageOf(error);
    }
    list.hasResponse = true;
    const isNews = !before.hasResponse || before.trouble !== list.trouble || list.reflector !== undefined;
    if (!stopped && isNews) changed({ isUrgent: true, isPlannedWith: true });
  }

  for (const list of lists) void find(list);
  return {
    listed: (kind) => lists.find(({ of }) => of.kind === kind)?.reflector?.store.all() ?? [],
    others: () =>
      lists
        .filter(({ of }) => of.kind !== 'Node' && of.kind !== 'Pod')
        .flatMap(({ reflector }) => reflector?.store.all() ?? []),
    faults: () =>
      lists.flatMap((list) => {
        const fault = faultOf(list);
        return fault === undefined ? [] : [{ of: list.of, fault }];
      }),
    asOf: () => Math.min(...lists.map(({ reflector }) => reflector?.asOf() ?? Number.POSITIVE_INFINITY)),
    look() {
      for (const list of lists) {
        const isServed = list.reflector !== undefined && list.reflector.state().kind !== 'unserved';
        if (isServed || !list.hasResponse) continue;
        connection.discovery.forget(list.of.apiVersion);
        list.reflector = undefined;
        void find(list);
      }
    },
    idle: () => lists.every(({ hasResponse }) => hasResponse),
    stop() {
      stopped = true;
      for (const { reflector } of lists) reflector?.stop();
    },
  };
}

function faultOf(list: List): string | undefined {
  const { reflector, trouble, hasResponse } = list;
  const state = reflector?.state();
  if (state === undefined) return trouble ?? (hasResponse ? undefined : 'not listed yet');
  if (state.kind === 'synced') list.wasListed = true;
  if (state.kind === 'refused') return state.message;
  // A list that is read again shows the state before until it is there.
  const isThere = state.kind === 'synced' || state.kind === 'unserved' || (state.kind === 'listing' && list.wasListed);
  return isThere ? undefined : 'not listed yet';
}

function scopeOf(
  { kept, query }: WatchedKind,
  bytes: KeptOfKind,
  changed: Parameters<typeof seenObjects>[2],
): Scope<SeenObjects> {
  let reading = 0;
  return {
    query,
    store: seenObjects(kept, bytes, changed),
    keep(object) {
      const part = keptOf(object, kept);
      reading += bytes.weigh(part) ?? 0;
      return part;
    },
    reading(parsedBytes) {
      if (parsedBytes === 0) reading = 0;
      bytes.reading(reading);
    },
  };
}
