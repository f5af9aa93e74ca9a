import type { DisruptionBudget } from '../../api/disruption-budget.ts';
import type { Eviction } from '../../api/eviction.ts';
import type { ClusterName, Condition, ObjectRef, Timestamp } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { placementBudget } from '../budget/placement-budget.ts';
import type { Fleet, UnprovenBindings } from '../input.ts';
import { findCondition, withTransitionTime } from '../kernel/condition.ts';
import { by } from '../kernel/ordering.ts';
import { type Pause, pausedHold } from '../pause/pause.ts';
import { markedForRemoval, type PlacementWork } from '../placement-work.ts';
import type { Hold, PlannedEviction } from '../plan-document.ts';
import { problemOf } from '../problem-of.ts';
import { heldSinceLoss, isHeldSinceLoss, isMereHold } from '../recovery/held-since-loss.ts';
import { decideEviction, type Verdict } from './verdict.ts';

export interface EvictInput {
  readonly works: readonly PlacementWork[];
  readonly evictions: readonly Eviction[];
  /** By name, with `.status` as last published. */
  readonly recorded: ReadonlyMap<string, Eviction>;
  readonly budgets: readonly DisruptionBudget[];
  readonly now: Timestamp;
  /** Whether a cluster is in the fleet and not leaving it. */
  readonly inFleet: (cluster: ClusterName) => boolean;
  /** Whether a cluster counts as unavailable whatever runs there: it is being upgraded. */
  readonly isUnavailable: (cluster: ClusterName) => boolean;
  readonly unproven: UnprovenBindings;
  /** The pause of a placement; without one, of the fleet. Evictions wait for its end. */
  readonly pauseOf: (work: PlacementWork | undefined) => Pause;
  readonly digest: (text: string) => string;
  /** Objects whose file is invalid; a budget among them blocks. */
  readonly refused: readonly ObjectRef[];
  /** Names of ClusterResourcePlacements whose file is removed and that are being cleaned up. */
  readonly deletedPlacements: ReadonlySet<string>;
  /** True in the plan that found the record lost: evictions without a record are held until their file changes. */
  readonly recordLost: boolean;
  /** Names of evictions whose record cannot be read: it counts as lost. */
  readonly unread: ReadonlySet<string> | undefined;
  readonly sources: Fleet['sources'];
}

export interface EvictOutcome {
  /** In the order given. */
  readonly works: readonly PlacementWork[];
  /** By name. Results of evictions whose file is removed are kept; waiting ones have none. */
  readonly evictions: readonly PlannedEviction[];
  readonly holds: readonly Hold[];
  readonly problems: readonly Problem[];
  /** The content of `evictions/<name>.yaml`. */
  readonly recorded: readonly Eviction[];
}

/**
 * Carries out evictions one after the other, by name, each with the outcome of those before it. An eviction is done once: its
 * result stays on the status branch, and its file may be removed (docs/compatibility.md). An executed one marks the binding for
 * removal. The scheduler may select the cluster again unless it is tainted.
 */
export function evict(input: EvictInput): EvictOutcome {
  let works = input.works;
  const holds: Hold[] = [];
  const problems: Problem[] = [];
  const done = new Map<string, Eviction>();
  /** Not judged yet: nothing to record. */
  const waiting: Eviction[] = [];
  for (const [name, recorded] of input.recorded) if (isTerminal(recorded)) done.set(name, recorded);

  for (const eviction of byName(input.evictions)) {
    const { name } = eviction.metadata;
    const recorded = input.recorded.get(name);
    if (recorded && isTerminal(recorded)) {
      if (!sameSpec(recorded, eviction)) problems.push(reused(eviction, input));
      else if (!isExecuted(recorded)) problems.push(...stillRefused(eviction, placementOf(eviction, works), input));
      continue;
    }
    const { digest, recordLost, unread } = input;
    const lost = recordLost || unread?.has(name) === true;
    if (isHeldSinceLoss({ file: eviction, recorded, lost, digest })) {
      holds.push(lostHold(eviction));
      done.set(name, heldSinceLoss(eviction, digest));
      continue;
    }
    const work = placementOf(eviction, works);
    const verdict = verdictOn(eviction, work, input);
    if (verdict.kind === 'invalid' && verdict.refusedByWebhook)
      problems.push(refusal(eviction, verdict.message, input));
    const pause = input.pauseOf(work);
    const isPaused = pause.kind === 'paused' && verdict.kind !== 'invalid';
    if (isPaused || verdict.kind === 'unconfirmed') {
      const subject = { kind: eviction.kind, name, clusterName: eviction.spec.clusterName };
      holds.push(
        isPaused ? pausedHold(subject, `eviction ${name} is carried out`, pause) : unconfirmedHold(subject, eviction),
      );
      if (recorded) done.set(name, recorded);
      else waiting.push({ ...eviction, status: {} });
      continue;
    }
    if (work && verdict.kind === 'executed' && verdict.remove) {
      const evicted = withoutCluster(work, eviction.spec.clusterName);
      works = works.map((candidate) => (candidate === work ? evicted : candidate));
    }
    const before = isMereHold(recorded) ? undefined : recorded?.status?.conditions;
    done.set(name, { ...eviction, status: { conditions: conditionsOf(verdict, before, input.now) } });
  }
  const recorded = byName([...done.values()]);
  return { works, evictions: byName([...recorded, ...waiting]).map(planned), holds, problems, recorded };
}

/** Valid=False, or Executed whatever its status (KubeFleet IsEvictionInTerminalState). */
export const isTerminal = ({ status }: Pick<Eviction, 'status'>): boolean =>
  findCondition(status?.conditions, 'Valid')?.status === 'False' ||
  findCondition(status?.conditions, 'Executed') !== undefined;

const isExecuted = ({ status }: Eviction): boolean => findCondition(status?.conditions, 'Executed') !== undefined;

/** An invalid eviction stays invalid; its file is reported as long as it exists. */
function stillRefused(eviction: Eviction, work: PlacementWork | undefined, input: EvictInput): Problem[] {
  const verdict = verdictOn(eviction, work, input);
  return verdict.kind === 'invalid' && verdict.refusedByWebhook ? [refusal(eviction, verdict.message, input)] : [];
}

function verdictOn({ spec }: Eviction, work: PlacementWork | undefined, input: EvictInput): Verdict {
  return decideEviction({
    clusterName: spec.clusterName,
    work,
    isDeleted: input.deletedPlacements.has(spec.placementName),
    budget: placementBudget({ kind: 'ClusterResourcePlacement', name: spec.placementName }, input),
    inFleet: input.inFleet,
    isUnavailable: input.isUnavailable,
    isUnproven: input.unproven.get(placementKey({ name: spec.placementName }))?.has(spec.clusterName) === true,
  });
}

function conditionsOf(
  verdict: Exclude<Verdict, { kind: 'unconfirmed' }>,
  before: readonly Condition[] | undefined,
  now: Timestamp,
): Condition[] {
  const { message } = verdict;
  const condition = (type: string, status: 'True' | 'False', reason: string, text: string): Condition =>
    withTransitionTime(
      before,
      { type, status, reason: `ClusterResourcePlacementEviction${reason}`, message: text },
      now,
    );
  if (verdict.kind === 'invalid') return [condition('Valid', 'False', 'Invalid', message)];
  const valid = condition('Valid', 'True', 'Valid', 'Eviction is valid');
  return verdict.kind === 'executed'
    ? [valid, condition('Executed', 'True', 'Executed', message)]
    : [valid, condition('Executed', 'False', 'NotExecuted', message)];
}

const placementOf = ({ spec }: Eviction, works: readonly PlacementWork[]): PlacementWork | undefined =>
  works.find(
    ({ placement }) => placement.kind === 'ClusterResourcePlacement' && placement.metadata.name === spec.placementName,
  );

const withoutCluster = (work: PlacementWork, cluster: ClusterName): PlacementWork => ({
  ...work,
  bindings: work.bindings.map((entry) =>
    entry.binding.targetCluster === cluster ? markedForRemoval(entry.binding) : entry,
  ),
});

const byName = (evictions: readonly Eviction[]): Eviction[] => [...evictions].sort(by(({ metadata }) => metadata.name));

const sameSpec = (a: Eviction, b: Eviction): boolean =>
  a.spec.placementName === b.spec.placementName && a.spec.clusterName === b.spec.clusterName;

const planned = ({ metadata, spec, status }: Eviction): PlannedEviction => ({
  name: metadata.name,
  placementName: spec.placementName,
  clusterName: spec.clusterName,
  status: { conditions: status?.conditions ?? [] },
});

const lostHold = ({ kind, metadata: { name } }: Eviction): Hold => ({
  subject: { kind, name },
  reason: 'RecordLost',
  message: `the record was lost, so ${name} may have been carried out before: to carry it out, change its file or give it a new name`,
});

const unconfirmedHold = (subject: Hold['subject'], { metadata: { name }, spec }: Eviction): Hold => ({
  subject,
  reason: 'Unconfirmed',
  message: `eviction ${name} is carried out once ${spec.clusterName} shows that ${spec.placementName} has failed there: so far only the status branch shows it`,
});

const refusal = (eviction: Eviction, message: string, input: EvictInput): Problem =>
  problemOf(
    input,
    { kind: eviction.kind, name: eviction.metadata.name },
    {
      severity: 'error',
      code: 'eviction-refused',
      path: 'spec',
      message,
      fix: 'remove the file; an eviction names one cluster of a PickAll or PickN placement that is not being deleted',
    },
  );

const reused = (eviction: Eviction, input: EvictInput): Problem =>
  problemOf(
    input,
    { kind: eviction.kind, name: eviction.metadata.name },
    {
      severity: 'error',
      code: 'immutable-field',
      path: 'spec',
      message: 'an eviction of this name has ended; its placementName and clusterName cannot change',
      fix: 'give the new eviction a new name',
    },
  );
