import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { describeRef, objectKey } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { MemberClient } from '../api-server/client.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import type { Clock } from '../clock.ts';
import { eachOf } from '../pool.ts';
import type { Store } from './store.ts';

/** Objects of a kind that may not be listed, each asked for by its name. All reject with ApiError or UnreachableError. */
export interface ByName {
  /** Reads every object that is asked for. */
  read(): Promise<void>;
  /** Reads those that were not read yet. */
  catchUp(): Promise<void>;
  /** Whether the object would be shown if it were there and ours. */
  shows(key: string): boolean;
  /** Everything that is asked for has been read. */
  complete(): boolean;
  /** Instant up to which everything is told, milliseconds; Infinity where nothing is asked for. */
  asOf(): number;
}

/** `named`: the objects that can matter, which is all there is to go by. */
export function byName(input: {
  readonly client: MemberClient;
  readonly clock: Clock;
  readonly kind: ServedKind;
  readonly store: Store;
  readonly named: () => readonly ObjectRef[];
}): ByName {
  const { client, clock, kind, store, named } = input;
  const asked = new Map<string, number>();

  async function one(ref: ObjectRef): Promise<void> {
    const key = objectKey(ref);
    const before = store.get(key);
    const at = clock.now();
    const live = await get(ref);
    store.looked(key, before, live);
    asked.set(key, at);
  }

  async function get(ref: ObjectRef): Promise<Manifest | undefined> {
    try {
      return await client.request<Manifest>({
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
    read: () => eachOf(named(), client.concurrency, one),
    catchUp: () =>
      eachOf(
        named().filter((ref) => !isKnown(ref)),
        client.concurrency,
        one,
      ),
    shows: (key) => asked.has(key),
    complete: () => named().every(isKnown),
    asOf: () => Math.min(...named().flatMap((ref) => asked.get(objectKey(ref)) ?? [])),
  };
}
