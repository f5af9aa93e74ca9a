import { type MemberCluster, memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { ApprovalRequest, StagedUpdateRun, UpdateRunStatus } from '../../api/staged.ts';
import { howToMerge } from '../../engine/gate/request.ts';
import type { FleetRecord, RecordedPlacement } from '../../engine/input.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { suspendedAnnotation } from '../../engine/pause/placement-pause.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { isPrepared } from '../../engine/staged/run-state.ts';
import { allStages, isInFlight, rollbackStages } from '../../engine/staged/step.ts';
import { isOver, isRunOf } from '../../engine/update-run.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../cause.ts';
import { holdText } from '../hold-text.ts';
import { type HeldObject, holdsOf } from '../holds-of.ts';
import { runToAdd } from '../run-to-add.ts';
import { explainCommand, shortageOf, shortageText } from '../shortage.ts';
import { suspendedText } from '../suspensions.ts';
import { unreachableText } from '../unreachable-text.ts';
import { failedRunText, neededRun, needsRunText } from './no-run.ts';
import { inWords, progressOf } from './progress-text.ts';
import { type StageTaskState, stageTasks } from './stage-tasks.ts';
import { type Listed, whyLate, whyNotSettled } from './why-late.ts';

interface Known extends Listed, Pick<WaitFacts, 'answeredText'> {
  readonly record: FleetRecord;
  /** External placements that need a staged update run. */
  readonly notRolledOut: readonly NotRolledOut[];
}

type RecordedWithKind = RecordedPlacement & PlacementRef;

/** Clusters named in one line; tables list all. */
const mostNamed = 10;

/**
 * Why a placement is not up to date, one line for each thing that it waits for. Where it is up to date on all clusters: what
 * holds it as a whole, and removals that are held.
 */
export function waitsOfPlacement(
  placement: RecordedWithKind,
  { record, unreachable, holds, notRolledOut, answeredText }: Known,
): string[] {
  const { kind, name, namespace, object, state } = placement;
  const whole = [...moreClusters(state), ...held(holds, { kind, name, namespace })];
  const isLate = state.bindings.some(
    (binding) => whyLate({ placement, binding }, { unreachable, holds }) !== undefined,
  );
  const late = waitingClusters(placement, state.bindings, { unreachable, holds });
  const all = [...record.runs.values()].filter((run) => isRunOf(run, placement));
  const runs = all.filter((run) => !(run.status && isOver(run.status)));
  const hasNoRun = object?.spec.strategy.type === 'External' && runs.length === 0;
  // Clusters that are well with an earlier snapshot are not late.
  const isBehind = hasNoRun && object.status?.conditions?.some(({ status }) => status !== 'True');
  const missing = needsRunText(placement, notRolledOut);
  if (!isLate && !isBehind && missing === undefined) return [...whole, ...late];
  const suspended = object?.metadata.annotations?.[suspendedAnnotation];
  const noRun = hasNoRun ? [`it is External, and ${failedRunText(all) ?? 'no update run is under way'}`] : [];
  return [
    ...(suspended === undefined ? [] : [suspendedText(suspended)]),
    ...whole,
    ...(missing === undefined ? noRun : [missing, runToAdd([neededRun(placement, notRolledOut)!]) ?? []].flat()),
    ...runs.flatMap((run) =>
      waitsOfRun(run, { holds, answeredText }).map((line) => `run ${titleOf(run.metadata)}: ${line}`),
    ),
    ...late,
  ];
}

function moreClusters(state: RecordedPlacement['state']): string[] {
  const shortage = shortageOf(state);
  if (shortage === undefined) return [];
  const more = shortage.wanted - shortage.found;
  return [
    `${more} more ${more === 1 ? 'cluster' : 'clusters'}: ${shortageText(shortage)} (${explainCommand(shortage)})`,
  ];
}

/** Why clusters are not up to date, or keep what is to be removed; those that wait for the same share a line. */
function waitingClusters(placement: RecordedWithKind, bindings: readonly Binding[], known: Listed): string[] {
  const late = Map.groupBy(bindings, (binding) => whyNotSettled({ placement, binding }, known));
  late.delete(undefined);
  return [...late].map(([why, of]) => `${listUpTo(of.map(clusterOf), mostNamed)}: ${why}`);
}

/** What the clusters wait for that an update run is under way on. */
export function waitsInRun(run: StagedUpdateRun, placement: RecordedWithKind, known: Listed): string[] {
  const moving = new Set(inFlightOf(run));
  const bindings = placement.state.bindings.filter(({ targetCluster }) => moving.has(targetCluster));
  return waitingClusters(placement, bindings, known);
}

const clusterOf = ({ targetCluster }: Binding): string => targetCluster;

interface WaitFacts extends Pick<Listed, 'holds'> {
  /** That a request (`[ns.]name`) is answered, which does not count yet; undefined = it is not. */
  readonly answeredText?: ((name: string) => string | undefined) | undefined;
}

/** What an update run waits for, one line each; nothing when it is over. */
export function waitsOfRun(run: StagedUpdateRun, { holds, answeredText }: WaitFacts): string[] {
  const { kind, metadata, status } = run;
  const reasons = held(holds, { kind, name: metadata.name, namespace: metadata.namespace });
  if (status === undefined) return reasons.length > 0 ? reasons : ['it has not started'];
  if (isOver(status)) return [];
  if (isPrepared(run)) return ['someone to start it: write state: Run into its file', ...reasons];
  return [...suspension(run), ...waitsUnderWay(run, status, { reasons, answeredText })];
}

/** Other waits continue meanwhile, or have ended by then. */
const suspension = ({ spec, metadata }: StagedUpdateRun): string[] =>
  spec.state === 'Stop' ? [`someone to resume it: gitfleet resume run ${titleOf(metadata)}`] : [];

function waitsUnderWay(
  run: StagedUpdateRun,
  status: UpdateRunStatus,
  { reasons, answeredText }: Pick<WaitFacts, 'answeredText'> & { readonly reasons: readonly string[] },
): string[] {
  const open = status.rollbackStatus ? [] : stageTasks(run).filter(({ isOpen }) => isOpen);
  if (open.length > 0) return open.map((task) => waitOfTask(task, run.metadata.namespace, answeredText));
  const moving = inFlightOf(run);
  if (moving.length === 0 && reasons.length > 0) return [...reasons];
  const now = progressOf(status.conditions);
  const progress = now === undefined ? 'it has not started' : inWords(now);
  return [moving.length === 0 ? progress : `${progress}, under way on ${moving.join(', ')}`];
}

/** Clusters that an update run has started to update, or to roll back, and not finished. */
const inFlightOf = ({ status = {} }: StagedUpdateRun): ClusterName[] =>
  (status.rollbackStatus ? rollbackStages(status) : allStages(status))
    .flatMap(({ clusters }) => clusters)
    .filter(isInFlight)
    .map(({ clusterName }) => clusterName);

/** Why an object is held as a whole, not on a cluster of it only. */
const held = (holds: Listed['holds'], of: HeldObject): string[] =>
  holdsOf(of, holds)
    .filter(({ subject, clusters }) => !subject.clusterName && !clusters)
    .map(holdText);

/** What one task of a stage waits for. */
export function waitOfTask(
  task: StageTaskState,
  namespace: string | undefined,
  answeredText: WaitFacts['answeredText'] = () => undefined,
): string {
  const { stage, type, since, until, approval } = task;
  if (type === 'TimedWait') return `the soak of stage ${stage}${until === undefined ? '' : `, until ${until}`}`;
  const name = approval ?? '';
  const what = answeredText(placementKey({ name, namespace })) ?? howToMerge({ name, namespace });
  return `approval of ${name}${since === undefined ? '' : `, since ${since}`}: ${what}`;
}

/** What keeps a member from being joined and healthy. */
export function waitsOfCluster(
  { metadata, status }: MemberCluster,
  { unreachable }: Pick<Listed, 'unreachable'>,
): string[] {
  const member = unreachable.get(metadata.name);
  if (member) return [unreachableText(member)];
  return (memberAgentOf(status)?.conditions ?? []).flatMap((condition) =>
    condition.status === 'True' ? [] : [`${condition.type} is ${condition.status}: ${causeOf(condition)}`],
  );
}

/** How to approve a request; nothing when it is decided. */
export const waitsOfApproval = (
  { metadata, status }: ApprovalRequest,
  { answeredText = () => undefined }: Pick<WaitFacts, 'answeredText'> = {},
): string[] =>
  findCondition(status?.conditions, 'Approved') ? [] : [answeredText(placementKey(metadata)) ?? howToMerge(metadata)];
