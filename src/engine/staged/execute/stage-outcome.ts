import type { StagedReason } from '../run-conditions.ts';
import type { RunStep } from '../step.ts';

/** What the run reads after a stage was worked on; undefined = the stage is done, look at the next one. */
export interface StageOutcome {
  readonly step: RunStep;
  readonly run?: { readonly reason: StagedReason; readonly message: string };
}
