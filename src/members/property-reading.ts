import type { PriceList } from '../api/gitfleet.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import type { Connection } from './connection.ts';
import { collectProperties, isCollected, type Properties, withoutResponse } from './properties.ts';

/** Version, nodes and pods of a member, as last read. */
export interface PropertyReading {
  /** Undefined until the first reading has ended, also without success. */
  properties(): Properties | undefined;
  /** Whether nothing suggests that it has changed since. */
  isCurrent(): boolean;
  /** It may have changed. */
  doubt(): void;
  /** When the last reading began, milliseconds; -Infinity before the first. */
  at(): number;
  /** Rejects when no response comes, or another one than to a list that is refused. */
  read(): Promise<void>;
  /** Why a look ended without it. */
  failed(error: unknown): void;
}

/** The longest time that a reading of a member at rest is current, milliseconds: pods come and go without a watch on them. */
const longestMs = 3_600_000;

export function propertyReading(
  { client, clock, contact, kept }: Pick<Connection, 'client' | 'clock' | 'contact' | 'kept'>,
  of: {
    readonly priceLists: () => readonly PriceList[];
    /** Something needs it as fresh as the last probe. */
    readonly needsFresh: () => boolean;
  },
): PropertyReading {
  let properties: Properties | undefined;
  let at = Number.NEGATIVE_INFINITY;
  /** What the last reading depends on; undefined: it has failed, or is in doubt. */
  let basis: { readonly shown: string | undefined; readonly priceLists: readonly PriceList[] } | undefined;
  return {
    properties: () => properties,
    at: () => at,
    isCurrent: () =>
      basis?.shown !== undefined &&
      basis.shown === contact.shown() &&
      sameValue(basis.priceLists, of.priceLists()) &&
      clock.now() - at < longestMs &&
      !of.needsFresh(),
    doubt() {
      basis = undefined;
    },
    async read() {
      const priceLists = of.priceLists();
      at = clock.now();
      // Before the requests, so that a doubt during them counts.
      basis = { shown: contact.shown(), priceLists };
      properties = await collectProperties({ client, kept, priceLists, before: properties });
      if (!isCollected(properties)) basis = undefined;
    },
    failed(error) {
      basis = undefined;
      properties = withoutResponse(properties, error);
    },
  };
}
