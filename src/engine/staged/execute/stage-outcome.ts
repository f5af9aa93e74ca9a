import type { StagedReason } from '../run-conditions.ts';
import type { RunStep } from '../step.ts';

/** The run after a stage was processed. `run`: its new condition; undefined = the stage is done and the next one follows. */
export interface StageOutcome {
  readonly step: RunStep;
  readonly run?: { readonly reason: StagedReason; readonly message: string };
}
