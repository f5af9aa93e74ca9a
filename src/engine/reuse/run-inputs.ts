import { placementKey, refOf } from '../../api/placement.ts';
import type { ApprovalRequest, StagedUpdateRun, StagedUpdateStrategy } from '../../api/staged.ts';
import { type PlacementBudget, placementBudget } from '../budget/placement-budget.ts';
import type { RecordedApproval } from '../input.ts';
import type { Pause } from '../pause/pause.ts';
import { placementPause } from '../pause/placement-pause.ts';
import type { PlacementWork } from '../placement-work.ts';
import { sourceOf } from '../problem-of.ts';
import { approvalFileFor, stageGateInput } from '../staged/approval/answer.ts';
import { gatesOf, taskOf } from '../staged/approval/stage-gates.ts';
import { runsOf } from '../staged/placement-runs.ts';
import { isStrategyOf } from '../staged/step.ts';
import type { World } from '../world.ts';

/** What the update runs of a placement are planned from, beyond the placement itself and what every placement reads. */
export interface RunInputs {
  readonly runs: readonly RunInput[];
  readonly pause: Pause;
  readonly budget: PlacementBudget;
  /** False: an approval file that is missing may be among the unreadable ones. */
  readonly absenceIsCertain: boolean;
  readonly handWritten: boolean;
}

interface RunInput {
  readonly run: StagedUpdateRun;
  /** Its path, which a status and holds name. */
  readonly file: string | undefined;
  /** As last published. */
  readonly recorded: StagedUpdateRun | undefined;
  readonly strategy: StagedUpdateStrategy | undefined;
  readonly gates: readonly {
    /** The approval file on main. */
    readonly answer: ApprovalRequest | undefined;
    /** The recorded request. */
    readonly recorded: RecordedApproval | undefined;
  }[];
}

/** Undefined where no run names the placement. `made`: its runs as planned, which list their gates. */
export function runInputs(work: PlacementWork, made: readonly StagedUpdateRun[], world: World): RunInputs | undefined {
  const { fleet } = world.input;
  const ref = refOf(work.placement);
  const runs = runsOf(ref, world);
  if (runs.length === 0) return undefined;
  const { absenceIsCertain, handWritten } = stageGateInput(fleet);
  const byKey = new Map(made.map((run) => [placementKey(run.metadata), run]));
  return {
    runs: runs.map((run) => ({
      run,
      file: sourceOf(fleet, { kind: run.kind, ...run.metadata })?.file,
      recorded: world.record.runs.get(placementKey(run.metadata)),
      strategy: fleet.strategies.find((strategy) => isStrategyOf(strategy, run)),
      gates: gatesFor(run, byKey.get(placementKey(run.metadata)), world),
    })),
    pause: placementPause(work, world),
    budget: placementBudget(ref, fleet),
    absenceIsCertain,
    handWritten,
  };
}

function gatesFor(run: StagedUpdateRun, made: StagedUpdateRun | undefined, world: World): RunInput['gates'] {
  const status = made?.status ?? {};
  const { namespace } = run.metadata;
  return gatesOf(status.stagesStatus ?? []).map((gate) => {
    const { approvalRequestName: name = '' } = taskOf(status, gate);
    return {
      answer: approvalFileFor(gate, run, world.input.fleet.approvals),
      recorded: world.record.approvals.get(placementKey({ name, namespace })),
    };
  });
}
