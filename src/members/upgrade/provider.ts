import type { UpgradeFinding, UpgradePhase } from '../../api/observation.ts';
import type { ObservedVersions } from '../../api/observed-versions.ts';
import type { UpgradeProviderName } from '../../api/upgrade-providers.ts';
import type { UpgradeTarget } from '../../engine/plan-document.ts';

/** One operation of an update run on one member. */
export type UpgradeOperation = UpgradeTarget['upgrade'];

/** What a provider sees of its cluster; a provider may add what its other calls need. */
export interface SeenCluster {
  readonly versions: ObservedVersions;
  /** An upgrade that is in progress there, ours or not. */
  readonly running: { readonly operationId: string | undefined; readonly message: string } | undefined;
  /** The operation that was requested there last, as it is noted there. */
  readonly lastOperation: string | undefined;
}

/** What the daemon asks of the provider. */
export interface WantedOperation {
  readonly operation: UpgradeOperation;
  /** Taken from the record at a start: it is followed, and nothing is requested. */
  readonly adopted: boolean;
}

export interface OperationReport {
  readonly phase: UpgradePhase;
  readonly message?: string | undefined;
}

/**
 * Upgrades one member. Everything that it knows of an operation it reads from outside: a daemon may be killed between any two calls.
 * All calls reject when no response comes, with ApiError or UnreachableError.
 */
export interface UpgradeProvider<Seen extends SeenCluster = SeenCluster> {
  observe(): Promise<Seen>;
  /** What stands against any upgrade now. */
  preflight(seen: Seen): Promise<readonly UpgradeFinding[]>;
  /**
   * Requests what the operation needs next, at most one change. What was requested before is not requested again: the operationId is
   * written with each request. True if it requested something, so that `seen` is out of date. Rejects with RefusedUpgrade when the
   * operation can never be carried out as it is.
   */
  start(operation: UpgradeOperation, seen: Seen): Promise<boolean>;
  /** What has become of an operation, from what is seen. */
  poll(operation: UpgradeOperation, seen: Seen): Promise<OperationReport>;
  /** How often it is looked at, milliseconds: while an upgrade is in progress, and otherwise. */
  readonly pace: { readonly activeMs: number; readonly idleMs: number };
}

/** The report of an operation that the provider was never asked for. */
export const notRequested: OperationReport = { phase: 'NotRequested', message: 'not requested' };

/** An operation that a provider cannot carry out: the message names the setting and what to write instead. */
export class RefusedUpgrade extends Error {
  override readonly name = 'RefusedUpgrade';
}

/** Which provider upgrades a member, and its name for it: annotations of the MemberCluster. */
export interface ProviderSetting {
  readonly provider: UpgradeProviderName;
  readonly ref: string | undefined;
}
