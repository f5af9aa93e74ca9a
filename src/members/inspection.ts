import type { PriceList } from '../api/gitfleet.ts';
import type { Connection } from './connection.ts';
import type { FewAtOnce } from './few-at-once.ts';
import { identityOf } from './identity.ts';
import { collectProperties, type Properties, withoutAnswer } from './properties.ts';
import { sweep } from './watch/sweep.ts';

/** Everything about a member that no watch tells: which cluster it is, its nodes and versions, kinds that nobody asked for. */
export interface Inspection {
  /** Looks anew, unless it looks already. */
  look(): Promise<void>;
  /** Watches every kind of which the member holds objects of ours. What it cannot see is looked for again with every look. */
  sweep(): Promise<void>;
  /** Undefined until the first look is over, whatever came of it. */
  properties(): Properties | undefined;
  /** False when there may be objects of ours that a sweep could not see. */
  complete(): boolean;
}

export function inspection(
  connection: Connection,
  on: {
    readonly life: AbortSignal;
    readonly priceLists: () => readonly PriceList[];
    readonly changed: () => void;
    /** Another cluster answers under the name of the member, or may: `unknown` where it did not say before which it was. */
    readonly replaced: (before: 'another' | 'unknown') => void;
  },
): Inspection {
  const { client } = connection;
  let properties: Properties | undefined;
  let looking = false;
  let identity: string | undefined;
  /** It has answered without saying which cluster it is, and may have been replaced since. */
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

  async function sweepOnce(among: FewAtOnce | undefined): Promise<void> {
    swept = 'partly';
    sweeping++;
    try {
      const isWhole = await (among ? among.run(() => sweep(connection)) : sweep(connection));
      if (isWhole) swept = 'whole';
    } finally {
      sweeping--;
    }
    on.changed();
  }

  async function lookOnce(): Promise<void> {
    await checkIdentity();
    properties = await collectProperties({ client, priceLists: on.priceLists() });
    // In the place of this look: one that waits for another place would be waited for by all that hold one.
    if (swept === 'partly' && sweeping === 0) await sweepOnce(undefined);
  }

  return {
    async look() {
      if (looking || on.life.aborted) return;
      looking = true;
      const before = properties;
      try {
        await connection.fewAtOnce.run(lookOnce);
      } catch (error) {
        properties = withoutAnswer(before, error);
      }
      looking = false;
      if (JSON.stringify(before) !== JSON.stringify(properties)) on.changed();
    },
    sweep: () => sweepOnce(connection.fewAtOnce),
    properties: () => properties,
    complete: () => swept !== 'partly',
  };
}
