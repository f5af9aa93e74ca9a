import { type MemberCluster, memberAgentOf } from '../../api/member-cluster.ts';
import type { ClusterName } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../../api/staged.ts';
import { suspendedAnnotation } from '../../engine/freeze/suspension.ts';
import { conditionIs, findCondition, isFulfilled } from '../../engine/kernel/condition.ts';
import { someOf } from '../../engine/kernel/some-of.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { howToMerge } from '../../engine/staged/approval/name.ts';
import { isInFlight, isOver } from '../../engine/staged/step.ts';
import { inWords, progressOf } from '../../engine/staged/told-progress.ts';
import { type HeldObject, holdsOf } from '../../repo/record/holds-of.ts';
import type { Held, Silence } from '../../repo/record/summary.ts';
import { messageOf } from '../../repo/record/told-holds.ts';
import { titleOf } from '../../repo/title-of.ts';
import { causeOf } from '../terminal/cause.ts';
import { mostNamed } from '../terminal/names.ts';
import type { Bound } from './bindings.ts';
import type { Status } from './open-status.ts';
import type { KnownPlacement } from './placements.ts';
import { type StageTaskState, stageTasks } from './stage-tasks.ts';

type Known = Pick<Status, 'record' | 'silent' | 'holds'>;

/** Why a placement is not where it is wanted: who is waited for, one line each; nothing when it is everywhere. */
export function waitsOfPlacement(placement: KnownPlacement, { record, silent, holds }: Known): string[] {
  const { kind, name, namespace, object, state } = placement;
  const late = new Map<string, string[]>();
  for (const binding of state.bindings) {
    const why = whyLate({ placement, binding }, { silent, holds });
    if (why !== undefined) late.set(why, [...(late.get(why) ?? []), binding.targetCluster]);
  }
  if (late.size === 0) return [];
  const suspended = object?.metadata.annotations?.[suspendedAnnotation];
  const runs = [...record.runs.values()].filter(
    ({ metadata, spec, status }) =>
      spec.placementName === name && metadata.namespace === namespace && !(status && isOver(status)),
  );
  const hasNoRun = object?.spec.strategy.type === 'External' && runs.length === 0;
  return [
    ...(suspended === undefined ? [] : [`it is suspended${suspended === '' ? '' : `: ${suspended}`}`]),
    ...held(holds, { kind, name, namespace }),
    ...(hasNoRun ? ['it is External, and no update run is under way'] : []),
    ...runs.flatMap((run) => waitsOfRun(run, { holds }).map((line) => `run ${titleOf(run.metadata)}: ${line}`)),
    ...[...late].map(([why, clusters]) => `${someOf(clusters, mostNamed)}: ${why}`),
  ];
}

/** What an update run waits for, one line each; nothing when it is over. */
export function waitsOfRun(run: StagedUpdateRun, { holds }: Pick<Status, 'holds'>): string[] {
  const { kind, metadata, status } = run;
  const reasons = held(holds, { kind, name: metadata.name, namespace: metadata.namespace });
  if (status === undefined) return reasons.length > 0 ? reasons : ['it has not begun'];
  if (isOver(status)) return [];
  const open = stageTasks(run).filter(({ isOpen }) => isOpen);
  if (open.length > 0) return open.map((task) => waitOfTask(task, run.metadata.namespace));
  const moving = [...(status.stagesStatus ?? []), ...(status.deletionStageStatus ? [status.deletionStageStatus] : [])]
    .flatMap(({ clusters }) => clusters)
    .filter(isInFlight)
    .map(({ clusterName }) => clusterName);
  if (moving.length === 0 && reasons.length > 0) return reasons;
  const now = progressOf(status.conditions);
  const said = now === undefined ? 'it has not begun' : inWords(now);
  return [moving.length === 0 ? said : `${said}, under way on ${moving.join(', ')}`];
}

/** Why an object is held as a whole, not on a cluster of it only. */
const held = (holds: Status['holds'], of: HeldObject): string[] =>
  holdsOf(of, holds)
    .filter(({ subject, clusters }) => !subject.clusterName && !clusters)
    .map(toldHold);

/** What one task of a stage waits for. */
export function waitOfTask(task: StageTaskState, namespace: string | undefined): string {
  const { stage, type, since, until, approval } = task;
  if (type === 'TimedWait') return `the soak of stage ${stage}${until === undefined ? '' : `, until ${until}`}`;
  const name = approval ?? '';
  return `a person to approve ${name}${since === undefined ? '' : `, since ${since}`}: ${howToMerge({ name, namespace })}`;
}

/**
 * Why one cluster does not have what it is to have: it is silent, something holds it, an object of it fails, or what its
 * conditions say. Undefined: it has.
 */
export function whyLate({ placement, binding }: Bound, { silent, holds }: Pick<Status, 'silent' | 'holds'>) {
  const seen = seenOf(binding, silent);
  const hold = seen === undefined || silent.has(binding.targetCluster) ? undefined : holdOf(binding, placement, holds);
  return hold ? toldHold(hold) : seen;
}

/** What holds one cluster of an update run; of one that does not answer that is told first. */
export function heldInRun({ kind, metadata }: StagedUpdateRun, cluster: ClusterName, { silent, holds }: Known) {
  if (silent.has(cluster)) return undefined;
  const hold = holdsOn(cluster, holdsOf({ kind, ...metadata }, holds))[0];
  return hold && toldHold(hold);
}

const toldHold = (hold: Held): string => `${hold.reason}: ${messageOf(hold)}`;

const holdsOn = (cluster: ClusterName, holds: readonly Held[]): Held[] =>
  holds.filter(({ subject, clusters }) => subject.clusterName === cluster || clusters?.includes(cluster));

/** What holds one cluster of a placement. Of many that wait for the same, the summary names only the first. */
function holdOf(binding: Binding, placement: KnownPlacement, holds: Status['holds']): Held | undefined {
  const mine = holdsOf(placement, holds);
  const [named] = holdsOn(binding.targetCluster, mine);
  if (named !== undefined || !isHeldBack(binding)) return named;
  const cut = mine.filter(({ clusters = [], count = 0 }) => count > clusters.length);
  return cut.length === 1 ? cut[0] : undefined;
}

const isHeldBack = ({ conditions, state, deleting }: Binding): boolean =>
  conditionIs(conditions, 'RolloutStarted', 'False') || (state === 'Unscheduled' && !deleting);

function seenOf(binding: Binding, silent: ReadonlyMap<ClusterName, Silence>): string | undefined {
  const isHeld = conditionIs(binding.conditions, 'RolloutStarted', 'False');
  const stays = binding.state !== 'Unscheduled' && !binding.deleting;
  if (stays && !isHeld && isFulfilled(binding.conditions)) return undefined;
  const silence = silent.get(binding.targetCluster);
  if (silence) return toldSilence(silence);
  const failed = binding.failedPlacements?.[0];
  if (failed) {
    const more = binding.failedPlacements!.length - 1;
    return `${describeRef(failed)}: ${causeOf(failed.condition)}${more > 0 ? ` (and ${more} more)` : ''}`;
  }
  if (binding.deleting || binding.state === 'Unscheduled') return 'is being removed';
  const unmet = binding.conditions?.find(({ status }) => status !== 'True');
  if (unmet) return causeOf(unmet);
  return binding.state === 'Scheduled' ? 'nothing has begun there yet' : 'is being applied';
}

/** What is known of a member that does not answer. */
export const toldSilence = ({ cause, lastContact }: Silence): string =>
  `does not answer${lastContact === undefined ? '' : ` since ${lastContact}`}: ${cause}`;

/** What keeps a member from being joined and healthy. */
export function waitsOfCluster({ metadata, status }: MemberCluster, { silent }: Pick<Status, 'silent'>): string[] {
  const silence = silent.get(metadata.name);
  if (silence) return [toldSilence(silence)];
  return (memberAgentOf(status)?.conditions ?? []).flatMap((condition) =>
    condition.status === 'True' ? [] : [`${condition.type} is ${condition.status}: ${causeOf(condition)}`],
  );
}

/** Who is to answer a request; nothing when it is answered. */
export const waitsOfApproval = ({ metadata, status }: ApprovalRequest): string[] =>
  findCondition(status?.conditions, 'Approved') ? [] : [howToMerge(metadata)];
