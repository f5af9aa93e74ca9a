import type { ApprovalRequest, StageStatus, TaskStatus, UpdateRunStatus } from '../../../api/staged.ts';
import type { GuardFinding, Plan, PlannedRun } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isStarted } from '../evidence/started-clusters.ts';
import { is, newlyDone, type RunChange } from './run-status.ts';

/** A gate is passed with an approval on main; nothing after it starts or ends before that. */
export function unapprovedGates({ run, before }: RunChange, { fleet, plan }: Evidence): GuardFinding[] {
  const finding = (message: string): GuardFinding => ({
    rule: 'gate-not-approved',
    message: `run ${run.name} ${message}`,
  });
  const handWritten = fleet.config?.spec.approvals?.handWritten === true;
  const answers = fleet.approvals.filter((file) => handWritten || mayAnswer(file, before));
  return (run.status.stagesStatus ?? []).flatMap((stage, at) => {
    const config = run.status.stagedUpdateStrategySnapshot?.stages[at];
    const known = before?.stagesStatus?.[at];
    const findings: GuardFinding[] = [];
    const started = stage.clusters.some(isStarted);
    const startedBefore = known?.clusters.some(isStarted) ?? false;
    const asksBefore = config?.beforeStageTasks?.some(({ type }) => type === 'Approval') === true;
    if (asksBefore && started && !startedBefore && !passed(stage.beforeStageTaskStatus))
      findings.push(finding(`would start stage ${stage.stageName} without its required approval`));
    const asksAfter = config?.afterStageTasks?.some(({ type }) => type === 'Approval') === true;
    if (asksAfter && newlyDone(stage, known) && !passed(stage.afterStageTaskStatus))
      findings.push(finding(`would end stage ${stage.stageName} without its required approval`));
    for (const timing of ['before', 'after'] as const) {
      const [now, then] =
        timing === 'before'
          ? [stage.beforeStageTaskStatus, known?.beforeStageTaskStatus]
          : [stage.afterStageTaskStatus, known?.afterStageTaskStatus];
      if (passed(now) && !passed(then) && !answers.some((file) => approves(file, { run, stage, timing, plan })))
        findings.push(
          finding(`counts the gate ${timing} stage ${stage.stageName} as passed, but no approval of it is on main`),
        );
    }
    return findings;
  });
}

const passed = (tasks: readonly TaskStatus[] | undefined): boolean =>
  tasks?.some(({ type, conditions }) => type === 'Approval' && is(conditions, 'ApprovalRequestApproved') === 'True') ===
  true;

/** An approval names what was reviewed, and comes after the run was initialized: before, there was nothing to review. */
function mayAnswer({ metadata }: ApprovalRequest, before: UpdateRunStatus | undefined): boolean {
  const review = metadata.annotations?.['gitfleet.dev/review'];
  if (review === undefined || before?.resourceSnapshotIndexUsed === undefined) return false;
  return before.earlyApprovals?.some((early) => early.name === metadata.name && early.review === review) !== true;
}

/** Whether a file is the approval of this gate, and of what is to be reviewed now. */
function approves(
  file: ApprovalRequest,
  gate: {
    readonly run: PlannedRun;
    readonly stage: StageStatus;
    readonly timing: 'before' | 'after';
    readonly plan: Plan;
  },
): boolean {
  const { run, stage, timing, plan } = gate;
  const kind = run.kind === 'ClusterStagedUpdateRun' ? 'ClusterApprovalRequest' : 'ApprovalRequest';
  const name = `${run.name}-${timing}-${stage.stageName}`;
  const names = timing === 'after' ? [name, `${run.name}-${stage.stageName}`] : [name];
  const asked = plan.approvals.find(({ planned }) => planned.name === name && planned.namespace === run.namespace);
  const review = file.metadata.annotations?.['gitfleet.dev/review'];
  return (
    file.kind === kind &&
    names.includes(file.metadata.name) &&
    (run.namespace === undefined || file.metadata.namespace === run.namespace) &&
    file.spec.parentStageRollout === run.name &&
    file.spec.targetStage === stage.stageName &&
    is(file.status?.conditions, 'Approved') === 'True' &&
    (review === undefined || review === asked?.planned.reviewDigest)
  );
}
