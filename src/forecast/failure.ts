import type { Condition } from '../api/meta.ts';
import type { UpgradeRunStatus } from '../api/upgrade-status.ts';

/** How a run stands: an update run by its condition, a cluster update run by its status. */
interface Outcome {
  readonly state?: Pick<Condition, 'type' | 'status' | 'message'>;
  readonly status?: UpgradeRunStatus['status'];
}

/** Why a run fails. Undefined: it does not. */
export function failureOf({ state, status }: Outcome): string | undefined {
  if (status?.state === 'Failed') return status.error?.message ?? '';
  if (state?.status !== 'False') return undefined;
  if (state.type === 'Initialized') return `it cannot be initialized: ${state.message ?? ''}`;
  return state.type === 'Succeeded' ? (state.message ?? '') : undefined;
}
