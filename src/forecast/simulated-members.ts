import type { MemberCluster, MemberClusterStatus } from '../api/member-cluster.ts';
import type { ClusterName, Condition, ObjectRef, PlacementKey, Timestamp } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { ResourceIdentifier } from '../api/placement.ts';
import type { Binding, PlacementState } from '../api/placement-state.ts';
import { applyStrategyOf } from '../engine/bindings/apply-strategy.ts';
import { wasGiven } from '../engine/bindings/cleanup.ts';
import type { Fleet, FleetRecord, PlanInput, RecordedPlacement } from '../engine/input.ts';
import { conditionIs, isFulfilled } from '../engine/kernel/condition.ts';
import { formatInstant } from '../engine/kernel/instant.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import { idsOf } from '../engine/overrides/snapshot-id.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Plan } from '../engine/plan-document.ts';
import { groupVersionOf } from '../engine/selection/group-version.ts';
import { placementTargets } from '../engine/target-kinds.ts';
import type { Assumptions } from './assumptions.ts';
import { sharedObjects } from './contested-objects.ts';
import { heldId, isForeign } from './kept-containers.ts';
import { keyOf } from './key-of.ts';
import { mayLack, notFoundText } from './lacking-namespaces.ts';
import { type Refused, refusedIn, refusedText } from './refused-objects.ts';

interface Due {
  readonly at: number;
  readonly key: PlacementKey;
  readonly binding: string;
  readonly refused?: readonly Refused[] | undefined;
}

/**
 * Members of a forecast: each cluster that responds now is done with what it is given, or is to lose, after the same time. One that
 * does not respond never is. One that refuses an object, as another placement has it or its Namespace is missing, is done with the rest.
 * One that holds a removal stays as long as it does. Their bindings get the conditions that they would then report.
 */
export function simulatedMembers(
  { fleet, observations }: PlanInput,
  {
    readyAfterMs,
    silent: known = new Set(),
    joining = new Set(),
    end,
  }: Pick<Assumptions, 'readyAfterMs' | 'silent' | 'joining'> & { readonly end: number },
) {
  const written = new Map(fleet.members.map((member) => [member.metadata.name, member]));
  const silent = known.union(
    new Set(
      observations === undefined
        ? []
        : fleet.members
            .map(({ metadata }) => metadata.name)
            .filter((name) => observations.get(name)?.reachable !== true && !joining.has(name)),
    ),
  );
  let due = new Map<string, Due>();
  let shared: ReturnType<typeof sharedObjects> | undefined;
  let lacking: ReadonlySet<PlacementKey> = new Set();
  let adapted: readonly MemberCluster[] = [];

  return {
    silent,
    /** What is observed as long as plans are refused, so that none of it is recorded: the same, and joining members with nothing. */
    observations:
      observations &&
      new Map([
        ...[...observations].map(([name, observation]): [string, ClusterObservation] => [
          name,
          observation.reachable ? lasting(observation, end) : observation,
        ]),
        ...[...joining].map((name): [string, ClusterObservation] => [name, emptyObservation(name)]),
      ]),
    /** Instants at which clusters will be done. `waves`: so many follow one another, and the last of them is. */
    look(result: PlanResult, record: FleetRecord, now: number, waves = 1): number[] {
      const { plan } = result;
      const held = new Set(plan.holds.filter(isForeign).map(heldId));
      // The repo stays the same all the time, and looking for them in each plan would take long.
      shared ??= sharedObjects(result.contents.staying);
      lacking = mayLack(result);
      const refusing = Map.groupBy(
        shared.size + lacking.size === 0 ? [] : refusedIn(result),
        ({ target }) => `${keyOf(target.placement)} ${target.clusterName}`,
      );
      const busy = [...record.placements].flatMap(([key, { state }]) =>
        busyIn(state).map((binding) => ({ key, binding })),
      );
      const given = givenBy(plan, new Set(busy.map(({ key }) => key)));
      const next = new Map<string, Due>();
      for (const { key, binding } of busy) {
        const cluster = binding.targetCluster as ClusterName;
        // The next plan drops a binding that is removed and was never given anything: no member has to do anything for that.
        const isEmpty = binding.deleting === true && !wasGiven(binding);
        const id = `${key} ${cluster}`;
        const refused = binding.deleting ? undefined : refusing.get(id);
        const isHeld = binding.deleting === true && held.has(id);
        const isStuck =
          silent.has(cluster) || !given.has(id) || isHeld || (refused !== undefined && hasRefused(binding));
        if (!isEmpty && isStuck) continue;
        const name = `${key} ${versionOf(binding)}`;
        const at = now + (isEmpty ? droppedAfterMs : waves * readyAfterMs);
        const known = due.get(name);
        // It begins anew once the cluster no longer refuses anything.
        const isSame = known !== undefined && (known.refused === undefined) === (refused === undefined);
        next.set(name, isSame ? known : { at, key, binding: versionOf(binding), refused });
      }
      due = next;
      return [...new Set([...next.values()].map(({ at }) => at))];
    },
    inFlight: (): readonly Pick<Due, 'key' | 'at'>[] => [...due.values()],
    /** Whether clusters may refuse something of what is in flight, or of what follows it. */
    mayRefuse: (): boolean => [...due.values()].some(({ key }) => shared?.has(key) || lacking.has(key)),
    /** The record with what members have done by an instant. */
    advance: (record: FleetRecord, at: number): FleetRecord => advanced(record, [...due.values()], at),
    /** The fleet whose members have the status that they report now, and that does not go stale. */
    fleet(present: Fleet): Fleet {
      if (adapted === present.members || (observations === undefined && joining.size === 0)) return present;
      adapted = present.members.map((member) => {
        const { name } = member.metadata;
        if (joining.has(name)) return written.get(name) ?? member;
        return observations ? withStatus(member, observations.get(name), end) : member;
      });
      return { ...present, members: adapted };
    },
  };
}

function advanced(record: FleetRecord, due: readonly Due[], at: number): FleetRecord {
  const done = Map.groupBy(
    due.filter((it) => it.at <= at),
    ({ key }) => key,
  );
  if (done.size === 0) return record;
  const placements = new Map(record.placements);
  for (const [key, list] of done) {
    const recorded = placements.get(key);
    const by = new Map(list.map(({ binding, refused }) => [binding, refused]));
    if (recorded) placements.set(key, withDone(recorded, by, formatInstant(at)));
  }
  return { ...record, placements };
}

/** The cluster works on it: it is to be available, or to be removed. */
const isBusy = (binding: Binding): boolean => {
  if (binding.deleting) return true;
  if (binding.state === 'Scheduled' || binding.resourceSnapshotIndex === undefined) return false;
  if (conditionIs(binding.conditions, 'Overridden', 'False')) return false;
  return !isFulfilled(binding.conditions);
};

/** `PLACEMENT CLUSTER` of the targets of these placements: a plan has them of thousands of others. */
function givenBy({ targets }: Plan, placements: ReadonlySet<PlacementKey>): ReadonlySet<string> {
  const given = new Set<string>();
  for (const { clusterName, placement } of placements.size === 0 ? [] : placementTargets(targets)) {
    const key = keyOf(placement);
    if (placements.has(key)) given.add(`${key} ${clusterName}`);
  }
  return given;
}

/** Targets of one placement share their reference to it. */

/** Milliseconds until the next plan, where no member has to do anything. Times are in seconds. */
const droppedAfterMs = 1000;

/** Most placements have the same state from plan to plan, and nothing to do. */
const busyIn = memoize(({ bindings }: PlacementState): readonly Binding[] => bindings.filter(isBusy));

const versionOf = (binding: Binding): string =>
  `${binding.targetCluster} ${binding.deleting ? 'gone' : binding.resourceSnapshotIndex} ${idsOf(binding).join()}`;

/** Nothing more happens there until its owner lets go of it. */
const hasRefused = ({ conditions, failedPlacements = [] }: Binding): boolean =>
  conditionIs(conditions, 'Applied', 'False') && failedPlacements.length > 0;

/** `done`: what they are done with, and what clusters refuse of it. */
function withDone(
  recorded: RecordedPlacement,
  done: ReadonlyMap<string, Due['refused']>,
  now: Timestamp,
): RecordedPlacement {
  const bindings = recorded.state.bindings.flatMap((binding): Binding[] => {
    if (!done.has(versionOf(binding))) return [binding];
    if (binding.deleting) return [];
    const { failedPlacements: _f, ...rest } = binding;
    const refused = done.get(versionOf(binding)) ?? [];
    if (refused.length > 0) return [withRefused(rest, refused, now)];
    const reports = recorded.object && applyStrategyOf(recorded.object, binding).type === 'ReportDiff';
    return [{ ...rest, conditions: [...keptOf(binding), ...doneConditions(reports === true, now)] }];
  });
  return { ...recorded, state: { ...recorded.state, bindings } };
}

const reported = ['WorkSynchronized', 'Applied', 'Available', 'DiffReported'];
const keptOf = ({ conditions = [] }: Binding): Condition[] => conditions.filter(({ type }) => !reported.includes(type));

function withRefused(binding: Binding, refused: readonly Refused[], lastTransitionTime: Timestamp): Binding {
  const is = (type: string, reason: string, message: string, status: 'True' | 'False' = 'False'): Condition => ({
    ...{ type, status, reason, message, lastTransitionTime },
  });
  return {
    ...binding,
    conditions: [
      ...keptOf(binding),
      is('WorkSynchronized', 'AllWorkSynced', '', 'True'),
      is('Applied', 'NotAllWorkHaveBeenApplied', refusedText(refused)),
    ],
    failedPlacements: refused.map((one) => ({
      ...identifierOf(one.object),
      condition:
        'namespace' in one
          ? is('Applied', 'ManifestApplyFailed', notFoundText(one.namespace))
          : is('Applied', 'FailedToTakeOver', refusedText([one])),
    })),
  };
}

function identifierOf({ apiVersion, kind, namespace, name }: ObjectRef): ResourceIdentifier {
  const { group, version } = groupVersionOf(apiVersion);
  return { ...(group !== '' && { group }), version, kind, ...(namespace !== undefined && { namespace }), name };
}

const doneConditions = (reports: boolean, lastTransitionTime: Timestamp): Condition[] => {
  const is = (type: string, reason: string): Condition => ({
    type,
    status: 'True',
    reason,
    message: '',
    lastTransitionTime,
  });
  const delivered = reports
    ? [is('DiffReported', 'AllWorkHaveDiffReported')]
    : [is('Applied', 'AllWorkHaveBeenApplied'), is('Available', 'AllWorkAreAvailable')];
  return [is('WorkSynchronized', 'AllWorkSynced'), ...delivered];
};

/** It does not go stale. */
function lasting({ observedAt: _, memberStatus, ...rest }: ClusterObservation, end: number): ClusterObservation {
  return { ...rest, ...(memberStatus && { memberStatus: withHeartbeats(memberStatus, end) }) };
}

const emptyObservation = (name: ClusterName): ClusterObservation => ({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'ClusterObservation',
  metadata: { name },
  reachable: true,
  complete: true,
  placements: [],
  objects: [],
  extras: [],
});

const withHeartbeats = <Status extends MemberClusterStatus>(status: Status, end: number): Status => ({
  ...status,
  ...(status.agentStatus && {
    agentStatus: status.agentStatus.map((agent) => ({ ...agent, lastReceivedHeartbeat: formatInstant(end) })),
  }),
});

function withStatus(
  member: MemberCluster,
  observation: ReturnType<NonNullable<PlanInput['observations']>['get']>,
  end: number,
): MemberCluster {
  const status = { ...member.status, ...observation?.memberStatus };
  if (observation?.reachable) return { ...member, status: withHeartbeats(status, end) };
  const lastReceivedHeartbeat = observation?.observedAt ?? '1970-01-01T00:00:00Z';
  return { ...member, status: { ...status, agentStatus: [{ type: 'MemberAgent', lastReceivedHeartbeat }] } as never };
}
