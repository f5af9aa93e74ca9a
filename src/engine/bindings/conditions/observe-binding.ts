import type { Condition, ConditionStatus, Timestamp } from '../../../api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../../api/observation.ts';
import { type ApplyStrategy, type Placement, refOf } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { findCondition, isFulfilled, withTransitionTime } from '../../kernel/condition.ts';
import { parseInstant } from '../../kernel/instant.ts';
import { listUpTo } from '../../kernel/short-list.ts';
import { shortened } from '../../kernel/shortened.ts';
import { placementObservationOf } from '../../observed.ts';
import type { Rendered } from '../../overrides/render.ts';
import { describeRef } from '../../selection/object-key.ts';
import { withAppliedSnapshot } from '../applied-snapshot.ts';
import { applyStrategyOf } from '../apply-strategy.ts';
import { type Delivered, deliveredObjects } from '../delivered-objects.ts';
import { deliverySteps } from '../health.ts';
import { changedLists } from './changed-lists.ts';
import { failedList } from './failed-list.ts';
import { withLists } from './object-lists.ts';
import { isOfOtherMode } from './other-mode.ts';
import { renderingConditions } from './overridden.ts';
import { withoutSecrets } from './secret-values.ts';

interface BindingContext {
  readonly placement: Placement;
  readonly binding: Binding;
  /** What the cluster should hold of the binding's snapshot. */
  readonly rendered: Rendered;
  /** The apply strategy at the time the conditions were recorded; undefined = the present one. */
  readonly appliedBy?: ApplyStrategy | undefined;
  /** Undefined or not reachable: the recorded conditions stay. */
  readonly observation: ClusterObservation | undefined;
  readonly now: Timestamp;
}

/** In KubeFleet's order; a binding has those that it has reached. */
const delivery: readonly string[] = [...deliverySteps, 'DiffReported'];

/**
 * The binding with the conditions that its cluster shows now (KubeFleet workgenerator/controller.go). A cluster that was
 * not observed keeps the recorded conditions. Before the actor starts with a snapshot, the binding has no conditions beyond
 * Overridden: absent, not False, so that it counts neither as ready nor as failed.
 */
export function observeBinding(context: BindingContext): Binding {
  return withAppliedSnapshot(context.binding, asObserved(context));
}

function asObserved(context: BindingContext): Binding {
  const { binding, observation } = context;
  if (binding.state === 'Scheduled' || binding.deleting || binding.resourceSnapshotIndex === undefined) return binding;
  if (observation === undefined || !observation.reachable || isNotReached(context, observation))
    return unobserved(context);
  const kept = (binding.conditions ?? []).filter(({ type }) => !delivery.includes(type));
  const { conditions, objects } = deliver(context, observation);
  if (isOlderThanRecorded(context, observation, conditions)) return unobserved(context);
  const withConditions = { ...binding, conditions: [...kept, ...conditions] };
  const { now } = context;
  return withLists(withConditions, {
    failed: conditions.some(({ type, status }) => (type === 'Applied' || type === 'Available') && status === 'False')
      ? failedList(objects, now, binding.failedPlacements)
      : [],
    ...changedLists(objects, now, binding),
  });
}

/**
 * The observation is incomplete and does not reach the placement, as right after a daemon starts. Nothing follows from
 * that, so recorded conditions and times stay. A binding that was assigned since has no recorded conditions to keep.
 */
const isNotReached = ({ binding, placement }: BindingContext, observation: ClusterObservation): boolean =>
  !observation.complete &&
  placementObservationOf(observation, refOf(placement), binding.resourceSnapshotIndex) === undefined &&
  findCondition(binding.conditions, 'WorkSynchronized') !== undefined;

/**
 * Another daemon that reaches the cluster better has since recorded that all is available there. An older observation must
 * not revert that: the cluster would count as failed, and could then be changed outside of every budget.
 */
function isOlderThanRecorded(
  context: BindingContext,
  observation: ClusterObservation,
  conditions: readonly Condition[],
): boolean {
  const { binding, placement, rendered } = context;
  const heardAt = placementObservationOf(observation, refOf(placement), binding.resourceSnapshotIndex)?.heardAt;
  if (heardAt === undefined || !rendered.ok || isFulfilled(conditions)) return false;
  const type = applyStrategyOf(placement, binding).type === 'ReportDiff' ? 'DiffReported' : 'Available';
  const recorded = findCondition(binding.conditions, type);
  const since = recorded?.status === 'True' ? parseInstant(recorded.lastTransitionTime ?? '') : undefined;
  const observed = parseInstant(heardAt);
  return since !== undefined && observed !== undefined && observed < since;
}

/**
 * The recorded conditions stay. Overridden needs no observation: it is set for an unreachable cluster that was assigned
 * something new, which has no recorded conditions yet. Failing overrides are always reported.
 */
function unobserved(context: BindingContext): Binding {
  const binding = withoutOtherMode(context);
  const isNew =
    context.observation?.reachable === false && !binding.conditions?.some(({ type }) => delivery.includes(type));
  if ((context.rendered.ok && !isNew) || findCondition(binding.conditions, 'Overridden')) return binding;
  const overridden = renderingConditions(binding, context.rendered).map(({ type, status, reason, message = '' }) =>
    timed(context, { type, status, reason, message }),
  );
  return { ...binding, conditions: [...(binding.conditions ?? []), ...overridden] };
}

/** Conditions recorded under ReportDiff mean nothing once objects are applied, and the other way round. */
function withoutOtherMode({ placement, binding, appliedBy }: BindingContext): Binding {
  const reports = applyStrategyOf(placement, binding).type === 'ReportDiff';
  if (appliedBy === undefined || (appliedBy.type === 'ReportDiff') === reports) return binding;
  const others = reports ? ['Applied', 'Available'] : ['DiffReported'];
  if (!binding.conditions?.some(({ type }) => others.includes(type))) return binding;
  return { ...binding, conditions: binding.conditions.filter(({ type }) => !others.includes(type)) };
}

function deliver(
  context: BindingContext,
  observation: ClusterObservation,
): { conditions: Condition[]; objects: readonly Delivered[] } {
  const { placement, binding, rendered } = context;
  const newCondition = (type: string, status: ConditionStatus, reason: string, message: string): Condition =>
    timed(context, { type, status, reason, message });
  const overridden = renderingConditions(binding, rendered).map(({ type, status, reason, message = '' }) =>
    newCondition(type, status, reason, message),
  );
  if (!rendered.ok) return { conditions: overridden, objects: [] };

  const shown = placementObservationOf(observation, refOf(placement), binding.resourceSnapshotIndex);
  if (!shown) return { conditions: overridden, objects: [] };
  const synchronized = newCondition(
    'WorkSynchronized',
    'True',
    'AllWorkSynced',
    'All of the works are synchronized to the latest',
  );
  const strategy = applyStrategyOf(placement, binding);
  const report = strategy.type === 'ReportDiff';
  if (!isDone(shown, rendered) || isOfOtherMode(shown, { ...context, report })) {
    const running = report
      ? newCondition('DiffReported', 'False', 'DiffReportInProgress', 'The objects are being compared')
      : newCondition('Applied', 'False', 'ApplyInProgress', 'The resources are being applied');
    return { conditions: [...overridden, synchronized, running], objects: [] };
  }
  const objects = deliveredObjects(rendered, shown, observation);
  return {
    conditions: [
      ...overridden,
      synchronized,
      ...(report ? [reported(objects, newCondition)] : applied(objects, strategy, binding, newCondition)),
    ],
    objects,
  };
}

type NewCondition = (type: string, status: ConditionStatus, reason: string, message: string) => Condition;

/** The actor has finished with exactly the present target; an absent digest, on either side, counts as equal. */
const isDone = ({ done, digest }: PlacementObservation, rendered: Extract<Rendered, { ok: true }>): boolean =>
  done && (digest === undefined || rendered.digest === '' || digest === rendered.digest);

function applied(
  objects: readonly Delivered[],
  strategy: ApplyStrategy,
  binding: Binding,
  newCondition: NewCondition,
): Condition[] {
  const unapplied = objects.filter((object) => !object.applied);
  if (unapplied.length > 0) {
    return [
      newCondition(
        'Applied',
        'False',
        'NotAllWorkHaveBeenApplied',
        `${list(unapplied)} could not be applied${cause(unapplied)}`,
      ),
    ];
  }
  const note = strategy.type === 'ClientSideApply' ? ' (by server-side apply with force)' : '';
  const message = [`All corresponding work objects are applied${note}`, ...caveats(objects)].join('; ');
  const all = newCondition('Applied', 'True', 'AllWorkHaveBeenApplied', message);
  const waiting = objects.filter(
    ({ availability }) => availability?.verdict === 'NotAvailableYet' || availability?.verdict === 'Failed',
  );
  if (waiting.length > 0)
    return [all, newCondition('Available', 'False', 'NotAllWorkAreAvailable', `${list(waiting)} not available`)];
  // An incomplete observation does not show them: nothing follows from that, so the recorded condition stays.
  if (objects.some(({ availability }) => availability === undefined))
    return [all, ...(binding.conditions ?? []).filter(({ type }) => type === 'Available')];
  const untracked = objects.filter(({ availability }) => availability?.verdict === 'NotTrackable');
  return [
    all,
    untracked.length > 0
      ? newCondition(
          'Available',
          'True',
          'NotAllWorkAreAvailabilityTrackable',
          `The availability of ${list(untracked)} cannot be tracked`,
        )
      : newCondition('Available', 'True', 'AllWorkAreAvailable', 'All corresponding work objects are available'),
  ];
}

/** Messages about applied objects, each once: that their kind cannot be watched, for example. */
const caveats = (objects: readonly Delivered[]): readonly string[] =>
  [...new Set(objects.flatMap(({ outcome: { message } }) => message || []))].slice(0, 3);

const reportedResults: ReadonlySet<string> = new Set([
  'NoDiffFound',
  'FoundDiff',
  'FoundDiffInDegradedMode',
  'Applied',
]);

function reported(objects: readonly Delivered[], newCondition: NewCondition): Condition {
  const missing = objects.filter(({ outcome }) => !reportedResults.has(outcome.result));
  return missing.length > 0
    ? newCondition('DiffReported', 'False', 'NotAllWorkHaveDiffReported', `${list(missing)} could not be compared`)
    : newCondition(
        'DiffReported',
        'True',
        'AllWorkHaveDiffReported',
        'All corresponding work objects have diff reported',
      );
}

/** Characters of a cause that a condition repeats: some API servers respond with whole pages. */
const longestCause = 200;

/** First line of the first message; the lists of the binding have all messages in full. */
function cause(objects: readonly Delivered[]): string {
  const first = objects.find(({ outcome }) => outcome.message);
  if (!first) return '';
  const [line = ''] = withoutSecrets(first.item.manifest, first.outcome.message ?? '').split('\n', 1);
  return `: ${shortened(line, longestCause)}`;
}

/** At most three names: the lists of the binding have them all. */
const list = (objects: readonly Delivered[]): string =>
  listUpTo(
    objects.map(({ identifier }) => describeRef(identifier)),
    3,
  );

function timed(
  { binding, now }: BindingContext,
  next: { type: string; status: ConditionStatus; reason: string; message: string },
): Condition {
  const { observedGeneration } = binding;
  return withTransitionTime(
    binding.conditions,
    { ...next, ...(observedGeneration === undefined ? {} : { observedGeneration }) },
    now,
  );
}
