import type { PriceList } from '../api/gitfleet.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import type { Connection } from './connection.ts';
import { collectProperties, isCollected, type Listed, type Properties, withoutResponse } from './properties.ts';
import { propertyWatch } from './property-watch.ts';

/**
 * How current plans need it. `hour`: no plan depends on it. `change`: placements choose by it, so a change of nodes or pods leads to a
 * reading with the next heartbeat; without a watch on them, each heartbeat does. `heartbeat`: restarts of containers count too.
 */
export type Currency = 'hour' | 'change' | 'heartbeat';

/** Version, nodes and pods of a member, as last read. */
export interface PropertyReading {
  /** Undefined until the first reading has ended, also without success. */
  properties(): Properties | undefined;
  /** Whether nothing suggests that it has changed since. */
  isCurrent(): boolean;
  /** Ends the watch on nodes and pods when nothing needs it. */
  settle(): void;
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
  connection: Pick<Connection, 'client' | 'clock' | 'contact' | 'kept'>,
  of: {
    readonly priceLists: () => readonly PriceList[];
    readonly needs: () => Currency;
    /** Present: this member is listed, not watched. */
    readonly pollMs: number | undefined;
  },
): PropertyReading {
  const { client, clock, contact, kept } = connection;
  const watch = propertyWatch(connection, doubt);
  /** What the probes showed of the cluster that is watched. */
  let watched: string | undefined;
  let properties: Properties | undefined;
  let at = Number.NEGATIVE_INFINITY;
  /** What the last reading depends on; undefined: it has failed, or is in doubt. */
  let basis: { readonly shown: string | undefined; readonly priceLists: readonly PriceList[] } | undefined;

  function doubt(): void {
    basis = undefined;
  }

  function follow(listed: Listed, shown: string | undefined): void {
    if (shown !== watched) watch.stop();
    watched = shown;
    if (shown !== undefined && of.needs() === 'change' && of.pollMs === undefined) watch.follow(listed);
  }

  return {
    properties: () => properties,
    at: () => at,
    isCurrent: () =>
      basis?.shown !== undefined &&
      basis.shown === contact.shown() &&
      sameValue(basis.priceLists, of.priceLists()) &&
      clock.now() - at < longestMs &&
      (of.needs() === 'hour' || (of.needs() === 'change' && watch.isLive())),
    settle() {
      if (of.needs() !== 'change') watch.stop();
    },
    doubt,
    async read() {
      const priceLists = of.priceLists();
      at = clock.now();
      // Before the requests, so that a doubt during them counts.
      const shown = contact.shown();
      basis = { shown, priceLists };
      const listed = (of: Listed): void => follow(of, shown);
      properties = await collectProperties({ client, kept, priceLists, before: properties, listed });
      if (!isCollected(properties)) basis = undefined;
    },
    failed(error) {
      basis = undefined;
      properties = withoutResponse(properties, error);
    },
  };
}
