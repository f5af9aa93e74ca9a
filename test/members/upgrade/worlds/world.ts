import type { SeenCluster, UpgradeOperation, UpgradeProvider } from '../../../../src/members/upgrade/provider.ts';
import type { ManualClock } from '../../../../src/simulator/clock.ts';

/** A cluster of Kubernetes 1.30.9 with one pool, behind one provider. */
export interface UpgradeWorld {
  readonly clock: ManualClock;
  /** Name of its pool. */
  readonly pool: string;
  /** A version as this provider writes it. */
  readonly version: (text: string) => string;
  /** A provider as a daemon opens it after a start. */
  provider(): UpgradeProvider<SeenCluster>;
  /** Requests that changed something, in their order. */
  changes(): readonly string[];
  /** What is behind the provider stops working: what was requested makes no progress. */
  hang(): void;
  /** What is requested from now on fails, until `heal`. */
  fail(): void;
  heal(): void;
  /** Somebody else starts an upgrade to 1.31.5. */
  interfere(): void | Promise<void>;
  /** An operation that this provider can never carry out. */
  readonly unsupported: Pick<UpgradeOperation, 'type' | 'controlPlane' | 'pools'>;
  close(): void;
}

/** What goes wrong behind the provider, as the fake of its API has it. */
export const faultsOf = (fake: {
  isHanging: boolean;
  isFailing: boolean;
}): Pick<UpgradeWorld, 'hang' | 'fail' | 'heal'> => ({
  hang: () => {
    fake.isHanging = true;
  },
  fail: () => {
    fake.isFailing = true;
  },
  heal: () => {
    fake.isFailing = false;
  },
});

/** Everything that can happen without time passing. */
export async function turns(): Promise<void> {
  for (let round = 0; round < 8; round++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets time pass in small steps. */
export async function pass(clock: ManualClock, seconds: number): Promise<void> {
  await turns();
  for (let left = seconds; left > 0; left--) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await turns();
}
