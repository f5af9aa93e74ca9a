import type { PriceList } from '../api/gitfleet.ts';
import type { Connection } from './connection.ts';
import { identityOf } from './identity.ts';
import { collectProperties, type Properties, withoutResponse } from './properties.ts';
import { sweep } from './watch/sweep.ts';

/** What the watches of a member do not show: its identity, nodes, versions, and objects of kinds that no assignment names. */
export interface Inspection {
  /** Starts an inspection unless one is running. */
  look(): Promise<void>;
  /**
   * Watches every kind of which the member has objects of ours. Kinds that cannot be read are retried with each inspection. `begun`
   * is called when its turn among all members has come.
   */
  sweep(begun?: () => void): Promise<void>;
  /** `whole`: every kind of which the member had objects of ours is watched. */
  swept(): 'never' | 'whole' | 'partly';
  /** Undefined until the first inspection has ended, also without success. */
  properties(): Properties | undefined;
  /** False when a sweep may have missed objects of ours. */
  complete(): boolean;
}

export function inspection(
  connection: Connection,
  on: {
    readonly life: AbortSignal;
    readonly priceLists: () => readonly PriceList[];
    readonly changed: () => void;
    /** The name of the member belongs to another cluster, or may: `unknown` if its identity was not readable before. */
    readonly replaced: (before: 'another' | 'unknown') => void;
  },
): Inspection {
  const { client, kept } = connection;
  let properties: Properties | undefined;
  let looking = false;
  let identity: string | undefined;
  /** It responded without its identity, so it may have been replaced since. */
  let unidentified = false;
  let swept: 'never' | 'whole' | 'partly' = 'never';
  let sweeping = 0;

  async function checkIdentity(): Promise<void> {
    const found = await identityOf(client);
    if (found === undefined) {
      unidentified = identity === undefined;
      return;
    }
    const before = identity === undefined ? unidentified && 'unknown' : found !== identity && 'another';
    identity = found;
    unidentified = false;
    if (before) on.replaced(before);
  }

  async function sweepOnce(run: (work: () => Promise<boolean>) => Promise<boolean>): Promise<void> {
    swept = 'partly';
    sweeping++;
    try {
      if (await run(() => sweep(connection))) swept = 'whole';
    } finally {
      sweeping--;
    }
    on.changed();
  }

  async function lookOnce(): Promise<void> {
    await checkIdentity();
    properties = await collectProperties({ client, kept, priceLists: on.priceLists(), before: properties });
    // Uses the place of this inspection: waiting for a second place while holding one could deadlock.
    if (swept === 'partly' && sweeping === 0) await sweepOnce((work) => work());
  }

  return {
    async look() {
      if (looking || on.life.aborted) return;
      looking = true;
      const before = properties;
      try {
        await connection.fewAtOnce.run(lookOnce);
      } catch (error) {
        properties = withoutResponse(before, error);
      }
      looking = false;
      if (factsOf(before) !== factsOf(properties)) on.changed();
    },
    sweep: (begun = () => {}) =>
      sweepOnce((work) =>
        connection.fewAtOnce.run(() => {
          begun();
          return work();
        }),
      ),
    swept: () => swept,
    properties: () => properties,
    complete: () => swept !== 'partly',
  };
}

/** Some pod always restarts: no plan depends on it. */
const factsOf = (properties: Properties | undefined): string =>
  JSON.stringify([properties?.status, properties?.versions]);
