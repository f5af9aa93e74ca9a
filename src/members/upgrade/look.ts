import type { ClusterObservation, UpgradeFinding } from '../../api/observation.ts';
import { ApiError, UnreachableError } from '../api-server/api-error.ts';
import {
  type OperationReport,
  RefusedUpgrade,
  type SeenCluster,
  type UpgradeProvider,
  type WantedOperation,
} from './provider.ts';

/** What one look at the provider of a member has shown. */
export interface Look {
  readonly seen: SeenCluster | undefined;
  readonly findings: readonly UpgradeFinding[];
  /** The operation that `report` is about. */
  readonly operationId: string | undefined;
  readonly report: OperationReport | undefined;
  /** Why the provider does not respond. */
  readonly trouble: string | undefined;
}

export const firstLook: Look = {
  seen: undefined,
  findings: [],
  operationId: undefined,
  report: undefined,
  trouble: undefined,
};

/** Observes a member, and advances the operation that is wanted when the observation is there. Rejects when no response comes. */
export async function lookAt(provider: UpgradeProvider, wanted: () => WantedOperation | undefined): Promise<Look> {
  const seen = await provider.observe();
  const now = wanted();
  if (now === undefined) return { ...firstLook, seen, findings: seen.running ? [] : await provider.preflight(seen) };
  const report = await advanced(provider, { now, seen });
  return { ...firstLook, seen, operationId: now.operation.operationId, report };
}

async function advanced(
  provider: UpgradeProvider,
  { now: { operation, adopted }, seen }: { readonly now: WantedOperation; readonly seen: SeenCluster },
): Promise<OperationReport> {
  try {
    if (!adopted && (await provider.start(operation, seen))) return { phase: 'Running', message: 'requested' };
    return await provider.poll(operation, seen);
  } catch (error) {
    if (error instanceof RefusedUpgrade) return { phase: 'Failed', message: error.message };
    if (!(error instanceof ApiError || error instanceof UnreachableError)) throw error;
    return { phase: isRejected(error) ? 'Failed' : 'Unknown', message: error.message };
  }
}

/**
 * The request itself is wrong, or an admission webhook denies it. Everything else passes: another operation (409), too many requests,
 * rights that are missing.
 */
const isRejected = (error: Error): boolean =>
  error instanceof ApiError &&
  (error.status === 400 ||
    error.status === 422 ||
    (error.status === 403 && error.message.includes('denied the request')));

/** What is said of the operation that is wanted, or else of one that is in progress. */
export function upgradeOf({
  seen,
  operationId,
  report,
  trouble,
}: Pick<Look, 'seen' | 'operationId' | 'report' | 'trouble'>): NonNullable<ClusterObservation['upgrade']> {
  if (operationId !== undefined) {
    const known: OperationReport =
      trouble === undefined ? (report ?? { phase: 'Unknown' }) : { phase: 'Unknown', message: trouble };
    return { target: operationId, phase: known.phase, ...(known.message !== undefined && { message: known.message }) };
  }
  const running = seen?.running;
  if (running)
    return {
      ...(running.operationId !== undefined && { target: running.operationId }),
      phase: 'Running',
      message: running.message,
    };
  return trouble === undefined || seen !== undefined ? {} : { phase: 'Unknown', message: trouble };
}
