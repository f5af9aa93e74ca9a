import type { UpdateRun } from '../../api/upgrade-run.ts';

/** Nothing starts until its file changes, whatever is approved: it failed or is stopped. */
export function isHalted({ spec, status }: Pick<UpdateRun, 'spec' | 'status'>): boolean {
  const state = status?.status.state ?? 'NotStarted';
  if (state === 'NotStarted') return spec.state === 'Stopped';
  return state === 'Failed' || state === 'Stopping' || state === 'Stopped';
}
