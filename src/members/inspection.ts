import type { Connection } from './connection.ts';
import { memberIdentity } from './identity.ts';
import type { Properties } from './properties.ts';
import { propertyReading } from './property-reading.ts';
import { sweep } from './watch/sweep.ts';

/** What the watches of a member do not show: its identity, nodes, versions, and objects of kinds that no assignment names. */
export interface Inspection {
  /** After a probe: reads what may have changed since it was read. Nothing at rest, so that a heartbeat is one request. */
  look(): Promise<void>;
  /** Versions, nodes or pods may have changed: the next look reads them. */
  doubt(): void;
  /** Reads versions, nodes and pods, unless that began at this instant or later, milliseconds. Resolves also without success. */
  readSince(atMs: number): Promise<void>;
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
  on: Parameters<typeof propertyReading>[1] & {
    readonly life: AbortSignal;
    readonly changed: () => void;
    /** The identity of the cluster was read. */
    readonly identified: (identity: string) => void;
    /** The name of the member belongs to another cluster, or may: `unknown` if its identity was not readable before. */
    readonly replaced: (before: 'another' | 'unknown') => void;
  },
): Inspection {
  const identity = memberIdentity(connection, on);
  const reading = propertyReading(connection, on);
  let running: Promise<void> | undefined;
  let swept: 'never' | 'whole' | 'partly' = 'never';
  let sweeping = 0;

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

  const isSwept = (): boolean => swept !== 'partly' || sweeping > 0;

  async function lookOnce(): Promise<void> {
    if (!identity.isKnown()) await identity.check();
    if (!reading.isCurrent()) await reading.read();
    // Uses the place of this inspection: waiting for a second place while holding one could deadlock.
    if (!isSwept()) await sweepOnce((work) => work());
  }

  async function run(): Promise<void> {
    const before = reading.properties();
    try {
      await connection.fewAtOnce.run(lookOnce);
    } catch (error) {
      reading.failed(error);
    }
    running = undefined;
    if (factsOf(before) !== factsOf(reading.properties())) on.changed();
  }

  async function look(): Promise<void> {
    reading.settle();
    if (on.life.aborted || (identity.isKnown() && reading.isCurrent() && isSwept())) return;
    running ??= run();
    await running;
  }

  return {
    look,
    doubt: reading.doubt,
    async readSince(atMs) {
      if (reading.at() < atMs) await running;
      if (reading.at() >= atMs || !connection.contact.admits()) return;
      reading.doubt();
      await look();
    },
    sweep: (begun = () => {}) =>
      sweepOnce((work) =>
        connection.fewAtOnce.run(() => {
          begun();
          return work();
        }),
      ),
    swept: () => swept,
    properties: reading.properties,
    complete: () => swept !== 'partly',
  };
}

/** Some pod always restarts: no plan depends on it. */
const factsOf = (properties: Properties | undefined): string =>
  JSON.stringify([properties?.status, properties?.versions]);
