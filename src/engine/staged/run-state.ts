import type { StagedUpdateRun } from '../../api/staged.ts';

export type RunState = 'Initialize' | 'Run' | 'Stop';

/** Committing a run is the intent: without `state` it runs (docs/compatibility.md; KubeFleet's default is Initialize). */
export const stateOf = (run: StagedUpdateRun): RunState => run.spec.state ?? 'Run';

const denied: Readonly<Record<RunState, readonly RunState[]>> = {
  Initialize: ['Stop'],
  Run: ['Initialize'],
  Stop: ['Initialize'],
};

/**
 * The state a run is in: that of its file, unless KubeFleet's API denies the way there from the recorded one
 * (stageupdate_types.go, CEL rules on spec.state). A denied run goes on in the recorded state.
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
    denied: `spec.state may not go from ${present} to ${wanted}: the run goes on as ${present}`,
  };
}
