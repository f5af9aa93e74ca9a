import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';

/** Nothing starts until its file changes, whatever is approved: it failed or is stopped. */
export const isHalted = (run: Pick<UpdateRun, 'spec' | 'status'>): boolean => haltOfUpgrade(run) !== undefined;

/** Which of the two it is. */
export function haltOfUpgrade({ spec, status }: Pick<UpdateRun, 'spec' | 'status'>): 'failed' | 'stopped' | undefined {
  if (status === undefined || status.status.state === 'NotStarted')
    return spec.state === 'Stopped' ? 'stopped' : undefined;
  return haltOfState(status.status);
}

/** By its recorded state. */
export function haltOfState({ state, error }: UpgradeRunStatus['status']): 'failed' | 'stopped' | undefined {
  if (state === 'Failed' || (state === 'Stopping' && error !== undefined)) return 'failed';
  return state === 'Stopping' || state === 'Stopped' ? 'stopped' : undefined;
}
