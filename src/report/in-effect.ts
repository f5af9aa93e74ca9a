import type { PlacementKey } from '../api/meta.ts';
import { placementKey, refNamed } from '../api/placement.ts';
import { isRemovalApproved } from '../engine/gate/removal-approval.ts';
import type { Fleet, FleetRecord, RecordedPlacement } from '../engine/input.ts';
import { conditionIs } from '../engine/kernel/condition.ts';
import { parseInstant } from '../engine/kernel/instant.ts';
import { latestOf } from '../engine/kernel/latest-of.ts';
import { by } from '../engine/kernel/ordering.ts';
import type {
  GroupedHold,
  Hold,
  Plan,
  PlannedBinding,
  PlannedPlacement,
  RecordDocument,
  RequestedApproval,
} from '../engine/plan-document.ts';
import { recordPathOf } from '../repo/record/path.ts';
import { listedHolds } from './grouped-holds.ts';
import { recordedApproval } from './recorded-approval.ts';
import { type Shortages, shortagesIn, shortagesOf } from './shortage.ts';

/** Placements, runs, nodes and targets in effect, and what they wait for. */
export interface InEffect extends Pick<Plan, 'placements' | 'runs' | 'nodes' | 'targets' | 'record'> {
  /** It was planned from; undefined where nothing is in effect, or the commit is not recorded. */
  readonly commit: string | undefined;
  readonly holds: readonly GroupedHold[];
  /** Of all holds, also those that are not listed. */
  readonly holdCount: number;
  /** Those that are neither approved nor rejected. */
  readonly approvals: readonly RequestedApproval[];
  /** Requests that main answers by now, which counts once no plan is refused any more. */
  readonly answered: readonly AnsweredRequest[];
  /** Those that a RemovalApproval ends. */
  readonly removalHolds: readonly Hold[];
  /** Placements that are short of clusters, in the order of `placements`. */
  readonly shortages: Shortages;
}

export interface AnsweredRequest {
  /** `[ns.]name` */
  readonly approval: string;
  readonly answer: 'approved' | 'rejected';
}

/** A status and its files. */
export interface Published {
  readonly record: FleetRecord;
  /** By path. */
  readonly files: ReadonlyMap<string, unknown>;
}

/** What was published before a plan, and what main approves by now. */
export interface InEffectInput {
  readonly before: Published;
  readonly fleet: Pick<Fleet, 'approvals' | 'gates' | 'removalApprovals'>;
}

/**
 * What is in effect with a plan. A refused plan is not: what was published before it stays in effect, with
 * the availability that the plan observed.
 */
export function inEffect(plan: Plan, { before: { record: before, files }, fleet }: InEffectInput): InEffect {
  if (plan.guard.length === 0) return asPlanned(plan);
  const seen = new Map(plan.placements.map((placement) => [placementKey(placement), placement]));
  // Clusters that run nothing are found among the decisions of placements.
  const decisions = [...before.clusters.keys()].map((clusterName) => ({ clusterName, selected: false, reason: '' }));
  const recorded = [...before.placements].sort(by(([key]) => key));
  const placements = recorded.map(([key, it]) => ({ ...asPublished(it, seen.get(key)), decisions }));
  const { holds = [], holdCount = 0, commit } = before.inEffect ?? {};
  const holding = holds.filter(({ until }) => (parseInstant(until ?? '') ?? Infinity) > (parseInstant(plan.now) ?? 0));
  return {
    placements,
    runs: [...before.runs.values()].flatMap(({ kind, metadata: { name, namespace }, status }) =>
      status === undefined ? [] : [{ kind, name, ...(namespace !== undefined && { namespace }), status }],
    ),
    nodes: [...before.nodes.values()]
      .map(({ metadata, mode, pools, commands, blocked }) => ({
        clusterName: metadata.name,
        mode,
        pools,
        commands,
        blocked,
      }))
      .sort(by(({ clusterName }) => clusterName)),
    targets: placements.flatMap(({ kind, name, namespace, bindings }) =>
      bindings.flatMap(({ clusterName, move }) =>
        move === 'remove'
          ? [{ clusterName, placement: { kind, name, ...(namespace && { namespace }) }, remove: true, objects: [] }]
          : [],
      ),
    ),
    record: documentsOf(before, files),
    commit,
    holds: holding,
    holdCount,
    approvals: stillAsked(plan, before, fleet),
    answered: plan.approvals.flatMap(({ planned, answer }) => {
      const approval = placementKey(planned);
      const asked = before.approvals.get(approval);
      return answer && asked && recordedApproval(asked).answer === undefined ? [{ approval, answer }] : [];
    }),
    removalHolds: holding.filter(
      ({ removalDigest }) => removalDigest !== undefined && !isRemovalApproved(removalDigest, fleet),
    ),
    shortages: shortagesIn(placements, (key) => before.placements.get(key)?.state),
  };
}

const asPlanned = (plan: Plan): InEffect => ({
  placements: plan.placements,
  runs: plan.runs,
  nodes: plan.nodes,
  targets: plan.targets,
  record: plan.record,
  commit: plan.commit,
  holds: listedHolds(plan),
  holdCount: plan.holds.length,
  approvals: plan.approvals.filter(({ answer }) => answer === undefined),
  answered: [],
  removalHolds: plan.holds.filter(({ removalDigest }) => removalDigest !== undefined),
  shortages: shortagesOf(plan),
});

/** Requests that main neither approves nor rejects, though it may not have their run any more. */
function stillAsked(plan: Plan, { approvals }: FleetRecord, fleet: InEffectInput['fleet']): RequestedApproval[] {
  const planned = new Map(plan.approvals.map((approval) => [placementKey(approval.planned), approval]));
  const answered = new Set([...fleet.approvals, ...fleet.gates].map(({ metadata }) => placementKey(metadata)));
  return [...approvals.values()].map(recordedApproval).filter((approval) => {
    const key = placementKey(approval.planned);
    const now = planned.get(key);
    return approval.answer === undefined && (now ? now.answer === undefined : !answered.has(key));
  });
}

/** Placements with their status, and whatever is one file. */
const documentsOf = (record: FleetRecord, files: Published['files']): Plan['record'] =>
  new Map(
    [...files.keys()].flatMap((path): [string, RecordDocument][] => {
      const value = recordedAt(path, record);
      return value === undefined ? [] : [[path, { kind: 'object', value }]];
    }),
  );

function recordedAt(path: string, record: FleetRecord): object | undefined {
  const { directory, name = '', rest } = recordPathOf(path) ?? {};
  if (directory === undefined || directory === 'overrides') return undefined;
  if (directory !== 'placements') return (record[directory] as ReadonlyMap<string, object>).get(name);
  return rest === 'status.yaml' ? record.placements.get(name as PlacementKey)?.object : undefined;
}

function asPublished(
  { object, state }: RecordedPlacement,
  seen: PlannedPlacement | undefined,
): Omit<PlannedPlacement, 'decisions'> {
  const conditions = object?.status?.conditions ?? [];
  const index = latestOf(state.resourceSnapshots)?.index;
  return {
    ...refNamed(state.metadata),
    ...(index !== undefined && { resourceSnapshotIndex: index }),
    scheduled: { status: 'Unknown', reason: '', ...conditions[0] },
    bindings: state.bindings.map((binding): PlannedBinding => {
      const { targetCluster: clusterName, state, resourceSnapshotIndex, deleting } = binding;
      const same = seen?.bindings.find(
        (it) => it.clusterName === clusterName && it.resourceSnapshotIndex === resourceSnapshotIndex,
      );
      const shown = same && !isRestarted(same, binding) ? same : binding;
      const applied = shown.appliedResourceSnapshotIndex;
      return {
        clusterName,
        state,
        ...(resourceSnapshotIndex !== undefined && { resourceSnapshotIndex }),
        ...(applied !== undefined && { appliedResourceSnapshotIndex: applied }),
        move: deleting ? 'remove' : 'keep',
        conditions: withRollout(binding.conditions, shown.conditions),
      };
    }),
    conditions,
  };
}

/** What a refused plan holds back or starts is not in effect either. */
const withRollout = (recorded: PlannedBinding['conditions'] = [], seen: PlannedBinding['conditions'] = []) => [
  ...recorded.filter(isOfRollout),
  ...seen.filter((condition) => !isOfRollout(condition)),
];

const isOfRollout = ({ type }: PlannedBinding['conditions'][number]): boolean => type === 'RolloutStarted';

/** The refused plan applies the same snapshot once more, as with other overrides. That does not happen. */
const isRestarted = ({ move }: PlannedBinding, recorded: RecordedPlacement['state']['bindings'][number]): boolean =>
  move === 'update' && conditionIs(recorded.conditions, 'Applied', 'True');
