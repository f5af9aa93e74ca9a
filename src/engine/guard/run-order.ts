import type { Condition } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type {
  ApprovalRequest,
  ClusterUpdatingStatus,
  StageStatus,
  TaskStatus,
  UpdateRunStatus,
} from '../../api/staged.ts';
import type { PlanInput } from '../input.ts';
import { parseDuration } from '../kernel/duration.ts';
import { parseInstant } from '../kernel/instant.ts';
import type { GuardFinding, Plan, PlannedRun } from '../plan-document.ts';

/** Stages one after the other, gates only through an approval on main, soaks in full, no more clusters at once than allowed. */
export function runOrderKept(input: PlanInput, plan: Plan): GuardFinding[] {
  return plan.runs.flatMap((run) => {
    const before = input.record.runs.get(placementKey(run))?.status;
    return is(before?.conditions, 'Succeeded') === undefined
      ? [
          ...stageOrder(run),
          ...concurrency(run, before),
          ...gates(run, before, input, plan),
          ...soaks(run, before, input),
        ]
      : [];
  });
}

function stageOrder({ name, status }: PlannedRun): GuardFinding[] {
  const stages = status.stagesStatus ?? [];
  const findings: GuardFinding[] = [];
  let open: string | undefined;
  for (const stage of [...stages, ...(status.deletionStageStatus ? [status.deletionStageStatus] : [])]) {
    const started = stage.clusters.find(({ conditions }) => is(conditions, 'Started') === 'True');
    if (started && open !== undefined)
      findings.push({
        rule: 'stage-order',
        message: `run ${name} would update ${started.clusterName} in stage ${stage.stageName} while stage ${open} is not done`,
      });
    if (is(stage.conditions, 'Succeeded') !== 'True') open ??= stage.stageName;
    const undone = stage.clusters.find((cluster) => !isDone(cluster));
    if (is(stage.conditions, 'Succeeded') === 'True' && undone)
      findings.push({
        rule: 'stage-order',
        message: `run ${name} calls stage ${stage.stageName} done although ${undone.clusterName} is not`,
      });
  }
  return findings;
}

function concurrency({ name, status }: PlannedRun, before: UpdateRunStatus | undefined): GuardFinding[] {
  return (status.stagesStatus ?? []).flatMap((stage, at) => {
    const value = String(status.stagedUpdateStrategySnapshot?.stages[at]?.maxConcurrency ?? 1);
    const scaled = value.endsWith('%')
      ? Math.floor((Number(value.slice(0, -1)) * stage.clusters.length) / 100)
      : Number(value);
    const flying = (clusters: readonly ClusterUpdatingStatus[]): number =>
      clusters.filter((cluster) => is(cluster.conditions, 'Started') === 'True' && !isDone(cluster)).length;
    const most = Math.max(1, scaled, flying(before?.stagesStatus?.[at]?.clusters ?? []));
    return flying(stage.clusters) > most
      ? [
          {
            rule: 'stage-concurrency',
            message: `run ${name} would update more than ${most} clusters of stage ${stage.stageName} at once`,
          },
        ]
      : [];
  });
}

function gates(run: PlannedRun, before: UpdateRunStatus | undefined, input: PlanInput, plan: Plan): GuardFinding[] {
  const finding = (message: string): GuardFinding => ({
    rule: 'gate-not-approved',
    message: `run ${run.name} ${message}`,
  });
  return (run.status.stagesStatus ?? []).flatMap((stage, at) => {
    const config = run.status.stagedUpdateStrategySnapshot?.stages[at];
    const known = before?.stagesStatus?.[at];
    const findings: GuardFinding[] = [];
    const started = stage.clusters.some(({ conditions }) => is(conditions, 'Started') === 'True');
    const startedBefore = known?.clusters.some(({ conditions }) => is(conditions, 'Started') === 'True') ?? false;
    const asksBefore = config?.beforeStageTasks?.some(({ type }) => type === 'Approval') === true;
    if (asksBefore && started && !startedBefore && !passed(stage.beforeStageTaskStatus))
      findings.push(finding(`would start stage ${stage.stageName} without the approval it asks for`));
    const asksAfter = config?.afterStageTasks?.some(({ type }) => type === 'Approval') === true;
    if (asksAfter && newlyDone(stage, known) && !passed(stage.afterStageTaskStatus))
      findings.push(finding(`would end stage ${stage.stageName} without the approval it asks for`));
    for (const timing of ['before', 'after'] as const) {
      const [now, then] =
        timing === 'before'
          ? [stage.beforeStageTaskStatus, known?.beforeStageTaskStatus]
          : [stage.afterStageTaskStatus, known?.afterStageTaskStatus];
      if (passed(now) && !passed(then) && !input.fleet.approvals.some((file) => isYes(file, run, stage, timing, plan)))
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

function isYes(
  file: ApprovalRequest,
  run: PlannedRun,
  stage: StageStatus,
  timing: 'before' | 'after',
  plan: Plan,
): boolean {
  const kind = run.kind === 'ClusterStagedUpdateRun' ? 'ClusterApprovalRequest' : 'ApprovalRequest';
  const name = `${run.name}-${timing}-${stage.stageName}`;
  const names = timing === 'after' ? [name, `${run.name}-${stage.stageName}`] : [name];
  const asked = plan.approvals.find((approval) => approval.name === name && approval.namespace === run.namespace);
  const review = file.metadata.annotations?.['gitfleet.dev/review'];
  return (
    file.kind === kind &&
    names.includes(file.metadata.name) &&
    (run.namespace === undefined || file.metadata.namespace === run.namespace) &&
    file.spec.parentStageRollout === run.name &&
    file.spec.targetStage === stage.stageName &&
    is(file.status?.conditions, 'Approved') === 'True' &&
    (review === undefined || review === asked?.reviewDigest)
  );
}

function soaks({ name, status }: PlannedRun, before: UpdateRunStatus | undefined, input: PlanInput): GuardFinding[] {
  return (status.stagesStatus ?? []).flatMap((stage, at) => {
    const wait = status.stagedUpdateStrategySnapshot?.stages[at]?.afterStageTasks?.find(
      ({ type }) => type === 'TimedWait',
    );
    if (!wait || stage.clusters.length === 0 || !newlyDone(stage, before?.stagesStatus?.[at])) return [];
    const times = stage.clusters.map(({ conditions }) => {
      const done = conditions?.find(
        ({ type, status: so }) => (type === 'Succeeded' || type === 'Skipped') && so === 'True',
      );
      return parseInstant(done?.lastTransitionTime ?? '') ?? 0;
    });
    const soaked = (parseInstant(input.now) ?? 0) - Math.max(...times);
    return soaked < (parseDuration(wait.waitTime ?? '') ?? 0)
      ? [
          {
            rule: 'soak-cut-short',
            message: `run ${name} would end stage ${stage.stageName} before it has soaked for ${wait.waitTime}`,
          },
        ]
      : [];
  });
}

const newlyDone = (stage: StageStatus, before: StageStatus | undefined): boolean =>
  is(stage.conditions, 'Succeeded') === 'True' &&
  stage.clusters.length > 0 &&
  is(before?.conditions, 'Succeeded') !== 'True';

const isDone = ({ conditions }: ClusterUpdatingStatus): boolean =>
  is(conditions, 'Succeeded') === 'True' || is(conditions, 'Skipped') === 'True';

const is = (conditions: readonly Condition[] | undefined, type: string): Condition['status'] | undefined =>
  conditions?.find((condition) => condition.type === type)?.status;

/** Of which placement a planned run is, by its file or by its record: to tell which run may move a binding. */
export function runPlacements({ fleet, record }: PlanInput): (run: PlannedRun) => string | undefined {
  const nameOf = (kind: string, key: string): string => `${kind} ${key}`;
  const files = new Map(fleet.runs.toReversed().map((run) => [nameOf(run.kind, placementKey(run.metadata)), run]));
  return (run) => {
    const key = placementKey(run);
    const source = files.get(nameOf(run.kind, key)) ?? record.runs.get(key);
    if (source === undefined) return undefined;
    const { namespace } = run;
    return placementKey({ name: source.spec.placementName, ...(namespace === undefined ? {} : { namespace }) });
  };
}
