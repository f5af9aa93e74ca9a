import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { describeRef, objectKey } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import type { Clock } from '../clock.ts';
import { eachOf } from '../pool.ts';
import type { Store } from './store.ts';

/** Reads objects of a kind that may not be listed, each by its name. All reject with ApiError or UnreachableError. */
export interface ByName {
  /** Reads every named object. Rejects with the first refusal when it has tried all. */
  read(): Promise<void>;
  /** Reads named objects that were neither read nor refused yet. */
  catchUp(): Promise<void>;
  /** Whether the object has been read, so that absence from the store means absence. */
  shows(key: string): boolean;
  /** All named objects have been read. */
  complete(): boolean;
  /** Instant up to which the store is current, milliseconds; Infinity when no object is named. */
  asOf(): number;
}

/** `named`: the objects of assignments, the only ones that can be read. */
export function byName(input: {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly kind: ServedKind;
  readonly store: Store;
  readonly named: () => readonly ObjectRef[];
}): ByName {
  const { client, clock, kind, store, named } = input;
  const asked = new Map<string, number>();
  /** Objects that may not be read: only `read` tries them again, so that a retry of the apply costs one request. */
  const refused = new Map<string, ApiError>();

  async function one(ref: ObjectRef): Promise<void> {
    const key = objectKey(ref);
    const before = store.get(key);
    const at = clock.now();
    const live = await get(ref).catch(refusal);
    if (live instanceof ApiError) return void refused.set(key, live);
    store.looked(key, before, live);
    asked.set(key, at);
  }

  async function get(ref: ObjectRef): Promise<Manifest | undefined> {
    try {
      return await client.object({
        method: 'GET',
        path: pathOf(kind, ref),
        tried: `read ${describeRef(ref)}`,
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  const isKnown = (ref: ObjectRef): boolean => asked.has(objectKey(ref));
  return {
    async read() {
      refused.clear();
      await eachOf(named(), client.concurrency, one);
      for (const error of refused.values()) throw error;
    },
    catchUp: () =>
      eachOf(
        named().filter((ref) => !isKnown(ref) && !refused.has(objectKey(ref))),
        client.concurrency,
        one,
      ),
    shows: (key) => asked.has(key),
    complete: () => named().every(isKnown),
    asOf: () => Math.min(...named().flatMap((ref) => asked.get(objectKey(ref)) ?? [])),
  };
}

/** Other errors are not about one object. */
function refusal(error: unknown): ApiError {
  if (error instanceof ApiError && error.status === 403) return error;
  throw error;
}
