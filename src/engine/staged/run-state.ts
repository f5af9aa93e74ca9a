import type { StagedUpdateRun } from '../../api/staged.ts';
import { isInitialized } from '../update-run.ts';

export type RunState = 'Initialize' | 'Run' | 'Stop';

/** Without `state` a run runs: committing it is the intent (docs/compatibility.md; KubeFleet's default is Initialize). */
export const stateOf = (run: StagedUpdateRun): RunState => run.spec.state ?? 'Run';

/** It is initialized, and starts once its file says `state: Run`. */
export const isPrepared = (run: StagedUpdateRun): boolean =>
  stateOf(run) === 'Initialize' && isInitialized(run.status ?? {});

const denied: Readonly<Record<RunState, readonly RunState[]>> = {
  Initialize: ['Stop'],
  Run: ['Initialize'],
  Stop: ['Initialize'],
};

/**
 * The state of a run: that of its file, unless KubeFleet's API denies the transition from the recorded state
 * (stageupdate_types.go, CEL rules on spec.state). Then the run continues in the recorded state.
 */
export function admitState(
  run: StagedUpdateRun,
  recorded: StagedUpdateRun | undefined,
): { readonly state: RunState; readonly denied?: string } {
  const wanted = stateOf(run);
  if (recorded === undefined) return { state: wanted };
  const present = stateOf(recorded);
  if (!denied[present].includes(wanted)) return { state: wanted };
  return {
    state: present,
    denied: `spec.state must not change from ${present} to ${wanted}: the run continues as ${present}`,
  };
}
