import type { Problem } from '../../api/problem.ts';
import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { UpgradeRunStatus } from '../../api/upgrade-status.ts';
import type { UpgradeStages } from '../../api/upgrade-strategy.ts';
import { earlyAmong, stillEarly, withEarlyApprovals } from '../gate/early-approvals.ts';
import type { Hold } from '../plan-document.ts';
import { withdrawGate } from './check-gates.ts';
import { consistentImages } from './consistent-images.ts';
import { isHalted, withStates } from './derive-states.ts';
import { firstStatus } from './first-status.ts';
import { approvalsOf } from './gate-answer.ts';
import { gatesOf } from './gate-names.ts';
import { withLimits } from './limits.ts';
import { nextAttempt } from './next-attempt.ts';
import { refreshMembers, skippedBeforeStart } from './refresh-members.ts';
import {
  type RunContext,
  type RunHold,
  type RunStep,
  stepOf,
  withHold,
  withHolds,
  withProblem,
} from './run-context.ts';
import { isSameStrategy, isSameUpdate } from './same-spec.ts';
import { selectedTwice, selectMembers } from './select-members.ts';
import { skippableIn, skippedText, skipsInEffect, skipsOf } from './skips.ts';
import { strategyOf } from './strategy.ts';
import { allMembers, isTerminal } from './tree.ts';
import type { UpgradeMember } from './upgrades-input.ts';

/** A run before its stages are advanced. */
export interface LoadedRun {
  readonly context: RunContext;
  readonly step: RunStep;
  /** It has started and is not over. */
  readonly isActive: boolean;
  /** As it is recorded, but for its status. */
  readonly recordedSpec: UpdateRun['spec'];
}

type Given = Pick<RunContext, 'run' | 'input' | 'holderOf'> & {
  readonly isRemoved: boolean;
  /** The run that has a gate of that name already. */
  readonly gateOwner: (name: string) => string | undefined;
};

/** Continues a run where the record has it, or starts it. */
export function loadRun(given: Given): LoadedRun {
  const recorded = given.input.recorded.get(given.run.metadata.name);
  return recorded?.status?.status.startTime === undefined
    ? loadNew(given)
    : continueRun(given, recorded, recorded.status);
}

/** Whether a started run is over until its `attempt` is raised. */
export const isOver = ({ status }: UpgradeRunStatus): boolean =>
  status.startTime !== undefined && isTerminal({ status });

function loadNew(given: Given): LoadedRun {
  const { run, input } = given;
  const { spec } = run;
  const strategy = strategyOf(run, input.strategies);
  const context: RunContext = {
    ...given,
    strategy: strategy ?? { stages: [] },
    update: spec.managedClusterUpdate,
    skips: skipsOf(spec.skip),
    stopped: spec.state === 'Stopped',
  };
  const fresh = (of: Partial<UpgradeRunStatus> = {}): UpgradeRunStatus => ({
    status: { state: 'NotStarted' },
    attempt: spec.attempt,
    failureCount: 0,
    stages: [],
    ...of,
  });
  const notStarted = (step: RunStep): LoadedRun => ({ context, step, isActive: false, recordedSpec: spec });
  const heldBy = (step: RunStep, reason: Hold['reason'], message: string): LoadedRun =>
    notStarted(withHold(step, context, { reason, message }));
  if (strategy === undefined) {
    const message = `run ${run.metadata.name} starts once there is an UpdateStrategy ${spec.updateStrategyId}`;
    return heldBy(stepOf(fresh()), 'StrategyNotFound', message);
  }
  const selected = selectMembers(strategy, [...input.members.values()]);
  const members = selected.flat().flatMap((group) => group.members);
  const status = fresh({ ...firstStatus(strategy, selected), ...imagesOf(members, context) });
  const twice = selectedTwice(selected);
  if (twice) {
    const message = `${twice.member} is in groups ${twice.groups.join(' and ')}: the run starts once no member is in two`;
    const fix = 'change the memberSelectors of the strategy, or labels of the member';
    const problem: Problem = { severity: 'error', code: 'duplicate', path: 'spec.strategy', message, fix };
    return heldBy(withProblem(stepOf(status), context, problem), 'DuplicateMember', message);
  }
  const skipped = withStates(skippedBeforeStart(status, context), { ...context, stopped: true, now: undefined });
  const step = stepOf(skipped);
  const taken = gatesOf(run.metadata.name, status).find(({ name }) => given.gateOwner(name) !== undefined);
  if (taken) {
    const message = `run ${given.gateOwner(taken.name)} has a gate ${taken.name} too: one approval would count for both`;
    const fix = 'rename the run';
    const problem: Problem = { severity: 'error', code: 'duplicate', path: 'metadata.name', message, fix };
    return heldBy(withProblem(step, context, problem), 'OtherRunActive', message);
  }
  if (context.stopped) return notStarted(step);
  // What was meant would be upgraded.
  const skippable = skippableIn(status.stages);
  const unknown = spec.skip.find(({ type, name }) => !skippable[type].has(name));
  if (unknown) {
    const message = `run ${run.metadata.name} starts once its skip is corrected: it has no ${skippedText(unknown.type)} ${unknown.name}`;
    return heldBy(step, 'NotPartOfRun', message);
  }
  // Images that the run selects stand until its end.
  if (input.unknownVersions !== undefined) {
    const message = `run ${run.metadata.name} does not start: ${input.unknownVersions}`;
    return heldBy(step, 'KubernetesVersionNotAvailable', message);
  }
  const early = earlyAmong(approvalsOf(run.metadata.name, input.gates));
  const started = withEarlyApprovals<UpgradeRunStatus>(
    { ...status, status: { state: 'Pending', startTime: input.now } },
    early,
  );
  const recordedSpec = { ...spec, strategy };
  return { context, step: { ...step, status: refreshMembers(started, context) }, isActive: true, recordedSpec };
}

/** The images that the run brings, where it selects them for all members alike. */
function imagesOf(
  members: readonly UpgradeMember[],
  { update, input }: RunContext,
): Pick<UpgradeRunStatus, 'nodeImageSelection'> {
  const { type = 'Latest', customNodeImageVersions = [] } = update.nodeImageSelection ?? {};
  if (type === 'Latest' || update.upgrade.type === 'ControlPlaneOnly') return {};
  const selected =
    type === 'Custom'
      ? customNodeImageVersions
      : consistentImages(
          members.map((member) => ({
            versions: member.lastVersions,
            catalog: input.catalogOf(member),
          })),
        ).selected.map((version) => ({ version }));
  return { nodeImageSelection: { selectedNodeImageVersions: [...selected] } };
}

function continueRun(given: Given, recorded: UpdateRun, before: UpgradeRunStatus): LoadedRun {
  const { run, input, isRemoved } = given;
  const strategy = recorded.spec.strategy ?? strategyOf(recorded, input.strategies) ?? { stages: [] };
  const isRaised = run.spec.attempt > before.attempt;
  const skip = isRaised ? run.spec.skip : skipsInEffect(run.spec.skip, recorded.spec.skip);
  const context: RunContext = {
    ...given,
    strategy,
    update: recorded.spec.managedClusterUpdate,
    skips: skipsOf(skip),
    stopped: isRemoved || run.spec.state === 'Stopped',
  };
  const checked = withDeniedEdits(stepOf(before), context, { recorded, attempt: before.attempt, strategy });
  const recordedSpec = specInEffect(run, recorded, {
    strategy,
    skip,
    attempt: Math.max(run.spec.attempt, before.attempt),
  });
  if (isOver(before) && !isRaised) return { context, step: checked, isActive: false, recordedSpec };
  const files = approvalsOf(run.metadata.name, input.gates);
  const early = stillEarly(before.earlyApprovals ?? [], files, input.absenceIsCertain);
  const taken: UpgradeRunStatus = withEarlyApprovals(before, early);
  const raised = isRaised ? nextAttempt(taken, run.spec.attempt, context.skips) : taken;
  const refreshed = refreshMembers(raised, context);
  const limited = {
    ...refreshed,
    stages: refreshed.stages.map((stage, at) => (strategy.stages[at] ? withLimits(stage, strategy.stages[at]) : stage)),
  };
  const status = isHalted(limited, context) ? limited : withdrawGate(limited, context);
  const step = withOutsiders({ ...checked, status }, context);
  return { context, step, isActive: true, recordedSpec };
}

/** Once a run started, what it does is fixed; the rest of its file is in effect. */
function specInEffect(
  { spec: { updateStrategyId: _, ...spec } }: UpdateRun,
  { spec: { updateStrategyId, managedClusterUpdate } }: UpdateRun,
  now: Pick<UpdateRun['spec'], 'attempt'> & {
    readonly strategy: UpgradeStages;
    readonly skip: readonly UpdateRun['spec']['skip'][number][];
  },
): UpdateRun['spec'] {
  return {
    ...(updateStrategyId === undefined ? {} : { updateStrategyId }),
    ...spec,
    ...now,
    skip: [...now.skip],
    managedClusterUpdate,
  };
}

/** Edits that a started run does not follow. */
function withDeniedEdits(
  before: RunStep,
  context: RunContext,
  known: { readonly recorded: UpdateRun; readonly attempt: number; readonly strategy: UpgradeStages },
): RunStep {
  const { run } = context;
  const { recorded, attempt, strategy } = known;
  const fields = [
    ...(run.spec.updateStrategyId === recorded.spec.updateStrategyId ? [] : ['updateStrategyId']),
    // A strategy that is named is copied: the file has none.
    ...(run.spec.updateStrategyId !== undefined || isSameStrategy(strategyOf(run, []), strategy) ? [] : ['strategy']),
    ...(isSameUpdate(run.spec.managedClusterUpdate, recorded.spec.managedClusterUpdate)
      ? []
      : ['managedClusterUpdate']),
  ].filter((field) => field !== 'strategy' || recorded.spec.updateStrategyId === undefined);
  const deny = (step: RunStep, field: string, { message, fix }: Pick<Problem, 'message' | 'fix'>): RunStep => {
    const problem: Problem = { severity: 'error', code: 'state-transition', path: `spec.${field}`, message, fix };
    return withHold(withProblem(step, context, problem), context, { reason: 'StateTransitionDenied', message });
  };
  const fix = 'take the change back, and make a new run';
  const denied = fields.reduce((step, field) => {
    const message = `${field} of a run that has started cannot change: the run continues as it was`;
    return deny(step, field, { message, fix });
  }, before);
  if (run.spec.attempt >= attempt) return denied;
  const message = `attempt cannot be lowered from ${attempt} to ${run.spec.attempt}`;
  return deny(denied, 'attempt', { message, fix: `write ${attempt} or more` });
}

/** Members that the strategy would select by now: a run keeps those that it started with. */
function withOutsiders(before: RunStep, context: RunContext): RunStep {
  const { run, strategy, input } = context;
  const known = new Set<string>(allMembers(before.status).map(({ name }) => name));
  const unknown = [...input.members.values()].filter(({ name }) => !known.has(name));
  if (unknown.length === 0) return before;
  const holds = selectMembers(strategy, unknown).flatMap((groups, at) =>
    groups.flatMap(({ members }) =>
      members.map(({ name }): RunHold => {
        const message = `${name} is not part of run ${run.metadata.name}, which started without it: a new run can upgrade it`;
        return { of: { stage: strategy.stages[at]!.name, clusterName: name }, reason: 'NotPartOfRun', message };
      }),
    ),
  );
  return withHolds(before, context, holds);
}
