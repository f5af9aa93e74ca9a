import type { Approver } from '../api/approver.ts';
import { answeredBy } from '../api/kinds.ts';
import type { Condition } from '../api/meta.ts';
import { type NodePlan, nodePlan } from '../api/nodes/node-plan.ts';
import { isPlacementKind } from '../api/placement.ts';
import type { UpgradeRunStatus } from '../api/upgrade-status.ts';
import { approvedText } from '../engine/gate/approver.ts';
import { parseInstant } from '../engine/kernel/instant.ts';
import { wantedClusters } from '../engine/placement/wanted-clusters.ts';
import { listedHold } from '../repo/record/daemon-memory.ts';
import type { Held } from '../repo/record/summary.ts';
import { titleOf } from '../repo/title-of.ts';
import { conditionOf } from './condition-of.ts';
import { type ClusterDrifts, driftEvents } from './drift-events.ts';
import { meaningOf } from './hold-reasons.ts';
import { holdLine } from './hold-text.ts';
import { nodeHappened } from './node-happened.ts';
import type { ObjectEvent } from './object-event.ts';
import { deliveryReason } from './placements/delivery-reason.ts';
import { plainText } from './sections/section.ts';
import { countText } from './shortage.ts';
import { upgradeHappened } from './upgrades/happened.ts';

/** As much of an object of the status branch as events are made from. */
export interface Versioned {
  readonly kind?: string;
  /** Of the summary: the branch, its commit, the one in effect while that is refused, and why it is. */
  readonly branch?: string;
  readonly commit?: string;
  readonly commitInForce?: string;
  readonly guard?: readonly { readonly message: string }[];
  /** Of the summary; a file that was edited by hand may have anything. */
  readonly holds?: unknown;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly generation?: number };
  readonly spec?: {
    readonly strategy?: { readonly applyStrategy?: { readonly type?: string } };
    readonly policy?: Parameters<typeof wantedClusters>[0];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly observedResourceIndex?: string;
    readonly placementStatuses?: readonly ClusterDrifts[];
    readonly agentStatus?: readonly { readonly type: string; readonly conditions?: readonly Condition[] }[];
    readonly stagesStatus?: readonly Stage[];
    readonly deletionStageStatus?: Stage;
    /** Of a gate. */
    readonly state?: string;
    readonly approvedBy?: Approver | undefined;
    readonly message?: string;
    /** Of a cluster update run. */
    readonly stages?: UpgradeRunStatus['stages'];
  };
}

interface Stage {
  readonly stageName: string;
  readonly conditions?: readonly Condition[];
  readonly beforeStageTaskStatus?: readonly Task[];
  readonly afterStageTaskStatus?: readonly Task[];
}

interface Task {
  readonly type: string;
  readonly conditions?: readonly Condition[];
}

/**
 * What happened between two versions of an object; `before` is undefined when it is new. A condition says itself when it
 * changed its status, otherwise it was `committedAt`, milliseconds since the epoch.
 */
export function objectEvents(before: Versioned | undefined, after: Versioned, committedAt: number): ObjectEvent[] {
  if (after.kind === fleetSummary) return eventsOfSummary(before, after, committedAt);
  const nodes = nodesOf(after);
  if (nodes) return nodeHappened(nodesOf(before), nodes, committedAt);
  if (isPlacementKind(after.kind)) return eventsOfPlacement(before, after, committedAt);
  const upgrade = upgradeOf(after);
  if (upgrade) return eventsOfUpgrade(upgradeOf(before), upgrade, { name: after.metadata?.name ?? '', committedAt });
  const old = new Map(facts(before).map((fact) => [fact.key, fact.condition]));
  return facts(after).flatMap(({ key, about, condition }): ObjectEvent[] => {
    const was = old.get(key);
    if (was?.status === condition.status && was.reason === condition.reason) return [];
    if (condition.status === 'Unknown') return [];
    const message = condition.message ?? `${condition.type} is ${condition.status}`;
    return [
      {
        // A run that waits or was stopped is not progressing, and nothing is wrong.
        type: condition.status === 'False' && condition.type !== 'Progressing' ? 'Warning' : 'Normal',
        reason: condition.reason || condition.type,
        message: about === '' ? message : `${about}: ${message}`,
        at: timeOf(was, condition, committedAt),
      },
    ];
  });
}

/** The status of a cluster update run; a file that was edited by hand may lack a part of it. */
const upgradeOf = (object: Versioned | undefined): UpgradeRunStatus | undefined =>
  object?.kind === 'UpdateRun' && object.status?.stages ? (object.status as UpgradeRunStatus) : undefined;

/** The node plan of a cluster; a file that was edited by hand may be none. */
const nodesOf = (object: Versioned | undefined): NodePlan | undefined =>
  object?.kind === 'NodePlan' ? nodePlan.safeParse(object).data : undefined;

function eventsOfUpgrade(
  before: UpgradeRunStatus | undefined,
  after: UpgradeRunStatus,
  { name, committedAt }: { readonly name: string; readonly committedAt: number },
): ObjectEvent[] {
  const happened = upgradeHappened(name, before, after).map(({ time, ...event }) => ({
    ...event,
    at: parseInstant(time ?? ''),
  }));
  // The time of a commit has no fractions of a second.
  const latest = Math.max(committedAt, ...happened.map(({ at }) => at ?? 0));
  return happened.map((event) => ({ ...event, at: event.at ?? latest }));
}

/** Kind of the summary, which shows what became of commits. */
export const fleetSummary = 'FleetSummary';

/** Of a refused plan the commit in effect stays the one before. */
function eventsOfSummary(before: Versioned | undefined, after: Versioned, at: number): ObjectEvent[] {
  const inEffect = ({ commit, commitInForce, guard = [] }: Versioned) => (guard.length > 0 ? commitInForce : commit);
  const known = new Set(before?.guard?.map(({ message }) => message));
  const commit = inEffect(after);
  const isNew = commit !== undefined && (before === undefined || inEffect(before) !== commit);
  return [
    ...(isNew
      ? [
          {
            type: 'Normal',
            reason: 'CommitAccepted',
            message: `commit ${commit.slice(0, 12)} is in effect`,
            at,
          } as const,
        ]
      : []),
    ...(after.guard ?? []).flatMap(({ message }): ObjectEvent[] =>
      known.has(message)
        ? []
        : [{ type: 'Warning', reason: 'PlanRefused', message: `${after.commit?.slice(0, 12)}: ${message}`, at }],
    ),
    ...newHolds(before, after).map(
      (hold): ObjectEvent => ({ type: 'Normal', reason: 'Held', message: plainText(holdLine(hold)), at }),
    ),
  ];
}

/** What a freeze, or something else that a reader wants to know of, begins to hold. */
function newHolds(before: Versioned | undefined, after: Versioned): Held[] {
  const keyOf = ({ subject, reason }: Held): string => `${reason} ${subject.kind} ${titleOf(subject)}`;
  const known = new Set(heldIn(before).map(keyOf));
  return heldIn(after).filter((hold) => !known.has(keyOf(hold)));
}

const heldIn = (summary: Versioned | undefined): Held[] =>
  (listedHold.array().safeParse(summary?.holds).data ?? []).filter((hold) => {
    const { isEvent, isTold } = meaningOf(hold);
    return isEvent && isTold;
  });

interface Fact {
  readonly key: string;
  readonly about: string;
  readonly condition: Condition;
}

/** What happened to a gate, which has a state instead of conditions. That it is asked is an event of its run. */
function ofGate({ status: { state, approvedBy, message: rejection } = {} }: Versioned): Fact[] {
  if (state === undefined || state === 'Pending') return [];
  const [status, reason] =
    state === 'Rejected' ? (['False', 'GateRejected'] as const) : (['True', `Gate${state}`] as const);
  const message = rejection ?? approvedText(approvedBy) ?? `the gate is ${state}`;
  const condition = { type: 'State', status, reason, message };
  return [{ key: 'State', about: '', condition }];
}

/** Every condition of an object, of its stages and of their tasks. */
function facts(object: Versioned | undefined): Fact[] {
  if (object && answeredBy(object.kind) === 'state') return ofGate(object);
  const { conditions = [], agentStatus = [], stagesStatus = [], deletionStageStatus } = object?.status ?? {};
  const of = (about: string, list: readonly Condition[] = []): Fact[] =>
    list
      .filter((condition) => !endsProgress(condition, list))
      .map((condition) => ({ key: `${about}/${condition.type}`, about, condition }));
  const stages = deletionStageStatus ? [...stagesStatus, deletionStageStatus] : stagesStatus;
  return [
    ...of('', conditions),
    ...agentStatus.flatMap((agent) => of('', agent.conditions)),
    ...stages.flatMap((stage) => [
      ...of(`stage ${stage.stageName}`, stage.conditions),
      ...(stage.beforeStageTaskStatus ?? []).flatMap((task) =>
        of(`stage ${stage.stageName}, ${task.type} before`, task.conditions),
      ),
      ...(stage.afterStageTaskStatus ?? []).flatMap((task) =>
        of(`stage ${stage.stageName}, ${task.type} after`, task.conditions),
      ),
    ]),
  ];
}

/** The end of a run or stage is written into two conditions, and is one event: that of Succeeded. */
const endsProgress = ({ type, reason }: Condition, list: readonly Condition[]): boolean =>
  type === 'Progressing' && conditionOf(list, 'Succeeded')?.reason === reason;

/**
 * KubeFleet's events of a placement, in the order of its conditions (condition.go, EventReasonForTrue); older releases report
 * scheduling, and synchronisation under a second name. Each comes when the condition turns True, or is True for a new
 * generation.
 */
const reasonsForTrue: readonly (readonly [type: string, ...reasons: string[]])[] = [
  ['Scheduled', 'PlacementScheduleSuccess'],
  ['RolloutStarted', 'PlacementRolloutStarted'],
  ['Overridden', 'PlacementOverriddenSucceeded'],
  ['WorkSynchronized', 'PlacementWorkSynchronized', 'PlacementSyncSuccess'],
  ['Applied', 'PlacementApplied'],
  ['Available', 'PlacementAvailable'],
  ['DiffReported', 'PlacementDiffReported'],
];

/** With these reasons False means in progress. */
const onItsWay: ReadonlySet<string> = new Set([
  'RolloutNotStartedYet',
  'WorkNotSynchronizedYet',
  'ApplyInProgress',
  'ResourceNotAvailableYet',
  'DiffReportInProgress',
]);

function eventsOfPlacement(before: Versioned | undefined, after: Versioned, committedAt: number): ObjectEvent[] {
  const happened = reasonsForTrue.flatMap(([type, ...reasons]): ObjectEvent[] => {
    const was = conditionOf(before?.status?.conditions, type);
    const is = conditionOf(after.status?.conditions, type);
    if (is === undefined) return [];
    const at = timeOf(was, is, committedAt);
    const message = shortageIn(after, is) ?? is.message ?? `${type} is ${is.status}`;
    if (is.status === 'True') {
      if (was?.status === 'True' && was.observedGeneration === is.observedGeneration) return [];
      return reasons.map((reason) => ({ type: 'Normal', reason, message, at }));
    }
    const reason = reasonIn(after, is);
    if (is.status !== 'False' || onItsWay.has(reason)) return [];
    const isSame = before !== undefined && was?.status === 'False' && reasonIn(before, was) === reason;
    if (isSame && shortageIn(before, was) === shortageIn(after, is)) return [];
    return [{ type: 'Warning', reason, message, at }];
  });
  happened.push(...driftEvents(before?.status?.placementStatuses, after.status?.placementStatuses, committedAt));
  if (!isComplete(after) || (isComplete(before) && sameWork(before, after))) return happened;
  const at = Math.max(committedAt, ...happened.map((event) => event.at));
  const message = 'the rollout is complete, every cluster has what it was given';
  return [...happened, { type: 'Normal', reason: 'PlacementRolloutCompleted', message, at }];
}

const reasonIn = ({ status }: Versioned, condition: Condition): string =>
  deliveryReason(
    condition,
    (status?.placementStatuses ?? []).map(({ conditions }) => conditions),
  );

/** The status lists at most a thousand clusters. */
const mostListed = 1000;

/** `2 of 3 clusters scheduled`, where that is what the condition reports. */
function shortageIn({ spec, status }: Versioned, { reason }: Condition): string | undefined {
  const wanted = reason === 'SchedulingPolicyUnfulfilled' ? wantedClusters(spec?.policy ?? {}) : undefined;
  if (wanted === undefined || wanted > mostListed) return undefined;
  const found = (status?.placementStatuses ?? []).filter(({ clusterName }) => clusterName !== undefined).length;
  return countText({ found, wanted });
}

/** Scheduled and every condition that the apply strategy expects are True for the present generation. */
function isComplete(placement: Versioned | undefined): boolean {
  if (!placement) return false;
  const last =
    placement.spec?.strategy?.applyStrategy?.type === 'ReportDiff' ? ['DiffReported'] : ['Applied', 'Available'];
  return ['Scheduled', 'RolloutStarted', 'Overridden', 'WorkSynchronized', ...last].every((type) => {
    const condition = conditionOf(placement.status?.conditions, type);
    const { generation } = placement.metadata ?? {};
    return condition?.status === 'True' && (generation === undefined || condition.observedGeneration === generation);
  });
}

const sameWork = (before: Versioned | undefined, after: Versioned): boolean =>
  before?.metadata?.generation === after.metadata?.generation &&
  before?.status?.observedResourceIndex === after.status?.observedResourceIndex;

function timeOf(was: Condition | undefined, is: Condition, committedAt: number): number {
  if (is.lastTransitionTime === undefined || is.lastTransitionTime === was?.lastTransitionTime) return committedAt;
  return parseInstant(is.lastTransitionTime) ?? committedAt;
}
