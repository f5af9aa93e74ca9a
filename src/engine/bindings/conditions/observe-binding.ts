import type { Condition, ConditionStatus, Timestamp } from '../../../api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../../api/observation.ts';
import { type ApplyStrategy, type Placement, refOf } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { findCondition, isFulfilled, withTransitionTime } from '../../kernel/condition.ts';
import { parseInstant } from '../../kernel/instant.ts';
import { listUpTo } from '../../kernel/short-list.ts';
import { shortened } from '../../kernel/shortened.ts';
import { sightingOf } from '../../observed.ts';
import type { Rendered } from '../../overrides/render.ts';
import { describeRef } from '../../selection/object-key.ts';
import { applyStrategyOf } from '../apply-strategy.ts';
import { type Delivered, deliveredObjects } from '../delivered-objects.ts';
import { deliverySteps } from '../health.ts';
import { changedLists } from './changed-lists.ts';
import { failedList } from './failed-list.ts';
import { withLists } from './object-lists.ts';
import { isOfOtherMode } from './other-mode.ts';
import { renderingConditions } from './overridden.ts';
import { withoutSecrets } from './secret-values.ts';

interface Look {
  readonly placement: Placement;
  readonly binding: Binding;
  /** What the cluster should hold of the binding's snapshot. */
  readonly rendered: Rendered;
  /** How the cluster was told to apply when its conditions were recorded; undefined = by all that is known as now. */
  readonly appliedBy?: ApplyStrategy | undefined;
  /** Undefined, or not reachable: what was recorded stands. */
  readonly observation: ClusterObservation | undefined;
  readonly now: Timestamp;
}

/** In KubeFleet's order; a binding carries those that have been reached. */
const delivery: readonly string[] = [...deliverySteps, 'DiffReported'];

/**
 * The binding with the conditions that its cluster shows now (KubeFleet workgenerator/controller.go). A cluster that was
 * not observed keeps what was recorded. A snapshot that the actor has not begun with has no conditions beyond Overridden:
 * absent, not False, so that it counts neither as ready nor as failed.
 */
export function observeBinding(look: Look): Binding {
  const { binding, observation } = look;
  if (binding.state === 'Scheduled' || binding.deleting || binding.resourceSnapshotIndex === undefined) return binding;
  if (observation === undefined || !observation.reachable || isNotLookedAt(look, observation)) return unobserved(look);
  const kept = (binding.conditions ?? []).filter(({ type }) => !delivery.includes(type));
  const { conditions, objects } = deliver(look, observation);
  if (isOlderThanRecorded(look, observation, conditions)) return unobserved(look);
  const withConditions = { ...binding, conditions: [...kept, ...conditions] };
  const { now } = look;
  return withLists(withConditions, {
    failed: conditions.some(({ type, status }) => (type === 'Applied' || type === 'Available') && status === 'False')
      ? failedList(objects, now, binding.failedPlacements)
      : [],
    ...changedLists(objects, now, binding),
  });
}

/**
 * The observation broke off before it came to the placement, as with a daemon that has just begun: nothing follows from
 * that, and when something was seen first is not forgotten. What was given anew has nothing recorded that could stand.
 */
const isNotLookedAt = ({ binding, placement }: Look, observation: ClusterObservation): boolean =>
  !observation.complete &&
  sightingOf(observation, refOf(placement), binding.resourceSnapshotIndex) === undefined &&
  findCondition(binding.conditions, 'WorkSynchronized') !== undefined;

/**
 * Another daemon, which hears more of the cluster than we do, has recorded since that all is well there. What was heard
 * before does not take that back: the cluster would count as failed, and be free to be changed outside of every budget.
 */
function isOlderThanRecorded(look: Look, observation: ClusterObservation, conditions: readonly Condition[]): boolean {
  const { binding, placement, rendered } = look;
  const heardAt = sightingOf(observation, refOf(placement), binding.resourceSnapshotIndex)?.heardAt;
  if (heardAt === undefined || !rendered.ok || isFulfilled(conditions)) return false;
  const type = applyStrategyOf(placement, binding).type === 'ReportDiff' ? 'DiffReported' : 'Available';
  const recorded = findCondition(binding.conditions, type);
  const since = recorded?.status === 'True' ? parseInstant(recorded.lastTransitionTime ?? '') : undefined;
  const heard = parseInstant(heardAt);
  return since !== undefined && heard !== undefined && heard < since;
}

/**
 * The record stands. What came of the overrides needs no look at the cluster: it is told of one that does not answer and
 * was given something new since, of which nothing is recorded; and that they fail is told in any case.
 */
function unobserved(look: Look): Binding {
  const binding = inMode(look);
  const isNew =
    look.observation?.reachable === false && !binding.conditions?.some(({ type }) => delivery.includes(type));
  if ((look.rendered.ok && !isNew) || findCondition(binding.conditions, 'Overridden')) return binding;
  const said = renderingConditions(binding, look.rendered).map(({ type, status, reason, message = '' }) =>
    settled(look, { type, status, reason, message }),
  );
  return { ...binding, conditions: [...(binding.conditions ?? []), ...said] };
}

/** What was recorded under ReportDiff says nothing once objects are applied, and the other way round. */
function inMode({ placement, binding, appliedBy }: Look): Binding {
  const reports = applyStrategyOf(placement, binding).type === 'ReportDiff';
  if (appliedBy === undefined || (appliedBy.type === 'ReportDiff') === reports) return binding;
  const others = reports ? ['Applied', 'Available'] : ['DiffReported'];
  if (!binding.conditions?.some(({ type }) => others.includes(type))) return binding;
  return { ...binding, conditions: binding.conditions.filter(({ type }) => !others.includes(type)) };
}

function deliver(
  look: Look,
  observation: ClusterObservation,
): { conditions: Condition[]; objects: readonly Delivered[] } {
  const { placement, binding, rendered } = look;
  const say = (type: string, status: ConditionStatus, reason: string, message: string): Condition =>
    settled(look, { type, status, reason, message });
  const overridden = renderingConditions(binding, rendered).map(({ type, status, reason, message = '' }) =>
    say(type, status, reason, message),
  );
  if (!rendered.ok) return { conditions: overridden, objects: [] };

  const sighting = sightingOf(observation, refOf(placement), binding.resourceSnapshotIndex);
  if (!sighting) return { conditions: overridden, objects: [] };
  const synchronized = say(
    'WorkSynchronized',
    'True',
    'AllWorkSynced',
    'All of the works are synchronized to the latest',
  );
  const strategy = applyStrategyOf(placement, binding);
  const report = strategy.type === 'ReportDiff';
  if (!isDone(sighting, rendered) || isOfOtherMode(sighting, { ...look, report })) {
    const running = report
      ? say('DiffReported', 'False', 'DiffReportInProgress', 'The differences are being looked for')
      : say('Applied', 'False', 'ApplyInProgress', 'The resources are being applied');
    return { conditions: [...overridden, synchronized, running], objects: [] };
  }
  const objects = deliveredObjects(rendered, sighting, observation);
  return {
    conditions: [
      ...overridden,
      synchronized,
      ...(report ? [reported(objects, say)] : applied(objects, strategy, binding, say)),
    ],
    objects,
  };
}

type Say = (type: string, status: ConditionStatus, reason: string, message: string) => Condition;

/** The actor has been through with exactly what the target says; an absent digest, on either side, is taken as equal. */
const isDone = (sighting: PlacementObservation, rendered: Extract<Rendered, { ok: true }>): boolean =>
  sighting.done && (sighting.digest === undefined || rendered.digest === '' || sighting.digest === rendered.digest);

function applied(objects: readonly Delivered[], strategy: ApplyStrategy, binding: Binding, say: Say): Condition[] {
  const unapplied = objects.filter((object) => !object.applied);
  if (unapplied.length > 0) {
    return [
      say(
        'Applied',
        'False',
        'NotAllWorkHaveBeenApplied',
        `${list(unapplied)} could not be applied${cause(unapplied)}`,
      ),
    ];
  }
  const note = strategy.type === 'ClientSideApply' ? ' (by server-side apply with force)' : '';
  const message = [`All corresponding work objects are applied${note}`, ...caveats(objects)].join('; ');
  const all = say('Applied', 'True', 'AllWorkHaveBeenApplied', message);
  const waiting = objects.filter(
    ({ availability }) => availability?.verdict === 'NotAvailableYet' || availability?.verdict === 'Failed',
  );
  if (waiting.length > 0)
    return [all, say('Available', 'False', 'NotAllWorkAreAvailable', `${list(waiting)} not available`)];
  // Not shown by an observation that broke off: nothing follows from that, so what was known stands.
  if (objects.some(({ availability }) => availability === undefined))
    return [all, ...(binding.conditions ?? []).filter(({ type }) => type === 'Available')];
  const untracked = objects.filter(({ availability }) => availability?.verdict === 'NotTrackable');
  return [
    all,
    untracked.length > 0
      ? say(
          'Available',
          'True',
          'NotAllWorkAreAvailabilityTrackable',
          `The availability of ${list(untracked)} cannot be tracked`,
        )
      : say('Available', 'True', 'AllWorkAreAvailable', 'All corresponding work objects are available'),
  ];
}

/** What members say of objects that they have applied, each once: that their kind cannot be watched, for example. */
const caveats = (objects: readonly Delivered[]): readonly string[] =>
  [...new Set(objects.flatMap(({ outcome: { message } }) => message || []))].slice(0, 3);

const reportedResults: ReadonlySet<string> = new Set([
  'NoDiffFound',
  'FoundDiff',
  'FoundDiffInDegradedMode',
  'Applied',
]);

function reported(objects: readonly Delivered[], say: Say): Condition {
  const missing = objects.filter(({ outcome }) => !reportedResults.has(outcome.result));
  return missing.length > 0
    ? say('DiffReported', 'False', 'NotAllWorkHaveDiffReported', `${list(missing)} could not be compared`)
    : say('DiffReported', 'True', 'AllWorkHaveDiffReported', 'All corresponding work objects have diff reported');
}

/** Of a sentence that a condition repeats: some API servers answer with pages. */
const longestCause = 200;

/** Why the first of them that says why could not be, in its first line; the lists of the binding have all of it. */
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

function settled(
  { binding, now }: Look,
  next: { type: string; status: ConditionStatus; reason: string; message: string },
): Condition {
  const { observedGeneration } = binding;
  return withTransitionTime(
    binding.conditions,
    { ...next, ...(observedGeneration === undefined ? {} : { observedGeneration }) },
    now,
  );
}
