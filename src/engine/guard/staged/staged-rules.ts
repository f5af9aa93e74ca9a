import { placementKey } from '../../../api/placement.ts';
import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { forbiddenRollbacks, startsAfterFailure } from './failures.ts';
import { unapprovedGates } from './gates.ts';
import { movesWithoutRun } from './moves-by-run.ts';
import { is, type RunChange } from './run-status.ts';
import { shortSoaks } from './soaks.ts';
import { crowdedStages } from './stage-concurrency.ts';
import { brokenStageOrder } from './stage-order.ts';
import { startsAfterLoss } from './starts-after-loss.ts';

/** Stages in order, gates only with an approval on main, soaks in full, no more clusters at once and no more failed ones than allowed. */
export const stagedRules: RuleSet = (evidence: Evidence) => [
  ...movesWithoutRun(evidence),
  ...openRuns(evidence).flatMap((change) => [
    ...startsAfterLoss(change, evidence),
    ...brokenStageOrder(change),
    ...crowdedStages(change),
    ...unapprovedGates(change, evidence),
    ...shortSoaks(change, evidence),
    ...startsAfterFailure(change, evidence),
    ...forbiddenRollbacks(change, evidence),
  ]),
];

/** Runs that had not ended before. */
const openRuns = ({ plan, record }: Evidence): RunChange[] =>
  plan.runs
    .map((run) => ({ run, before: record.runs.get(placementKey(run))?.status }))
    .filter(({ before }) => is(before?.conditions, 'Succeeded') === undefined);
