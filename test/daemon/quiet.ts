import { afterEach, expect, it } from 'vitest';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

/** A fleet in which nothing changes any more. */
export interface Situation {
  readonly files: Readonly<Record<string, string>>;
  readonly members: Parameters<typeof VirtualFleet.open> extends [unknown, ...infer Members] ? Members : never;
  /** Until the fleet is settled; absent = a minute. */
  readonly settle?: (fleet: VirtualFleet, one: VirtualDaemon) => Promise<void>;
  /** Brings the settled fleet into the situation; returns the next daemon if another one takes over. */
  readonly enter?: (fleet: VirtualFleet, one: VirtualDaemon) => VirtualDaemon | undefined;
  /** Whether the fleet is in the situation, so that the test does not pass without it. */
  readonly entered: (daemon: VirtualDaemon) => boolean;
  /** Publications of the second daemon, which records what it takes over; absent = none. */
  readonly takeOvers?: number;
}

export const isHeld = (one: VirtualDaemon, reason: string): boolean =>
  one.plan().holds.some((hold) => hold.reason === reason);
export const isRefused = (one: VirtualDaemon): boolean => one.passes.at(-1)!.kind === 'refused';

/** Longer than an unreachable member stays eligible. */
const restSeconds = 420;
const status = 'refs/heads/fleet-status';

export const publishedOf = ({ repo }: VirtualFleet): number => repo.pushes.filter(({ ref }) => ref === status).length;

/** Planning again for ten minutes, also by another daemon, publishes nothing in these situations. */
export function publishNothing(situations: Readonly<Record<string, Situation>>): void {
  let fleet: VirtualFleet;
  afterEach(() => fleet.close());

  it.each(Object.entries(situations))('%s', async (_, { files, members, settle, enter, entered, takeOvers = 0 }) => {
    fleet = await VirtualFleet.open(files, ...members);
    const one = fleet.start({ remote: true });
    await (settle ? settle(fleet, one) : fleet.run(60));
    const daemon = enter?.(fleet, one) ?? one;
    await fleet.run(restSeconds);
    expect(entered(daemon)).toBe(true);
    const before = publishedOf(fleet);
    // Another daemon has no plan to keep, and the first one plans whenever the other does.
    const other = fleet.start({ remote: true });
    for (let minute = 0; minute < 10; minute++) {
      daemon.daemon.look('a minute has passed');
      await fleet.run(60);
    }
    expect(entered(daemon)).toBe(true);
    expect(other.passes.length).toBeGreaterThan(10);
    expect(publishedOf(fleet) - before).toBe(takeOvers);
  });
}
