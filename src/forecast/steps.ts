import type { RemovalApproval } from '../api/gitfleet.ts';
import type { ClusterName, Timestamp } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../api/staged.ts';
import type { UpgradeGate } from '../api/upgrade-gate.ts';
import type { UpdateRun } from '../api/upgrade-run.ts';
import type { Fleet, FleetRecord, PlanInput } from '../engine/input.ts';
import { assertNever } from '../engine/kernel/assert.ts';
import { formatInstant, parseInstant } from '../engine/kernel/instant.ts';
import { type PlanResult, planFleet } from '../engine/plan.ts';
import type { Hold, Plan, RequestedApproval } from '../engine/plan-document.ts';
import { memoOf } from '../engine/reuse/memo.ts';
import { stateOf } from '../engine/staged/run-state.ts';
import { type Assumptions, supposedOf } from './assumptions.ts';
import { type EqualWaves, startsOnly, wavesAfter, wavesWithin, withWavesAtOnce } from './equal-waves.ts';
import type { ForecastResult } from './held-objects.ts';
import { beforeContact } from './joining-members.ts';
import { answeringMembers } from './kept-containers.ts';
import { nextRecord } from './next-record.ts';
import { type RunStage, wakesBeside, withStagesInWaves } from './run-waves.ts';
import { simulatedMembers } from './simulated-members.ts';
import { type NodeSpan, simulatedNodes } from './simulated-nodes.ts';
import { simulatedUpgrades, withoutQuestions, withRecordedVersions } from './simulated-upgrades.ts';

/** One plan of a forecast. */
export interface ForecastStep {
  readonly now: Timestamp;
  readonly result: ForecastResult;
  /** Waves that start one after the other from here on, although the plan starts them at once. */
  readonly waves?: EqualWaves;
}

export interface ForecastRun {
  readonly steps: readonly ForecastStep[];
  readonly silent: ReadonlySet<ClusterName>;
  /** Commands for nodes, in order of their start. */
  readonly nodes: readonly NodeSpan[];
  /** The input that follows where it ends, for another commit. */
  readonly continuedBy: (next: Pick<PlanInput, 'fleet' | 'commit'>) => PlanInput;
  /**
   * `settled`: nothing changes any more. `horizon`: something may change later. `refused`: the guard refuses the plan, and no
   * approval ends that within the time.
   */
  readonly end: 'settled' | 'horizon' | 'refused';
}

/** More plans than any forecast needs: each cluster of a fleet of ten thousand one after the other. */
const mostSteps = 50_000;

/**
 * Plans again and again in virtual time, with members that get ready and people who approve as supposed: at each instant at which
 * something happens, and only then. Pure as the engine: same input, same forecast.
 */
export const forecastSteps = (input: PlanInput, assumptions: Assumptions): ForecastRun =>
  atOnce(stepByStep(input, assumptions));

/** A result that takes many plans: a caller with other work to do may pause after each of them. */
export type InSteps<T> = Generator<void, T, void>;

/** Milliseconds from the first plan to the first contact with members that join. */
const contactAfterMs = 1000;

/** Milliseconds: times are in seconds, and an answer cannot come in the same one as its question. */
const shortestMs = 1000;

/** All steps without a pause. */
export function atOnce<T>(work: InSteps<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The same as {@link forecastSteps}, one plan at a time. `earlier`: a plan whose unchanged parts are not planned again. */
export function* stepByStep(written: PlanInput, supposed: Assumptions, earlier?: PlanResult): InSteps<ForecastRun> {
  const { readyAfterMs, upgradedAfterMs, approveAfterMs } = supposed;
  const assumptions: Assumptions = {
    ...supposed,
    readyAfterMs: Math.max(readyAfterMs, shortestMs),
    upgradedAfterMs: Math.max(upgradedAfterMs, shortestMs),
    approveAfterMs: approveAfterMs === undefined ? undefined : Math.max(approveAfterMs, shortestMs),
  };
  const input = { ...withRecordedVersions(withoutQuestions(written)), withoutPlanDigest: true };
  const begin = parseInstant(input.now) ?? 0;
  const end = begin + assumptions.untilMs;
  // A forecast that continues this one ends later: until then they report too.
  const members = simulatedMembers(input, { ...assumptions, end: end + assumptions.untilMs });
  const upgrades = simulatedUpgrades(input, { ...assumptions, silent: members.silent });
  const nodes = simulatedNodes(input, { ...assumptions, silent: members.silent });
  const approver = simulatedApprovers(supposedOf(input.fleet, assumptions));
  const answered = answeringMembers();
  const steps: ForecastStep[] = [];
  const { joining = new Set() } = assumptions;
  const contactAt = input.fleet.members.some(({ metadata }) => joining.has(metadata.name))
    ? [begin + contactAfterMs]
    : [];
  const first = beforeContact(input, joining);
  let present: PlanInput = first;
  let before = earlier;
  let waves: EqualWaves | undefined;
  let mostWaves = Number.POSITIVE_INFINITY;
  for (;;) {
    const planned = planFleet(
      waves && before ? withWavesAtOnce(present, waves, before) : present,
      before && memoOf(before.parts),
    );
    yield;
    const result = answered(planned);
    const { plan } = planned;
    const now = parseInstant(plan.now)!;
    if (waves && !startsOnly(planned, waves)) {
      mostWaves = waves.count / 2;
      waves = wavesWithin(waves, mostWaves);
      continue;
    }
    steps.push({ now: plan.now, result, ...(waves && { waves }) });
    const isRefused = plan.guard.length > 0;
    // Nobody is supposed to approve what members hold then: that removes objects of others.
    const approvals = approver.look(planned, now);
    const begun = isRefused ? present.record : nextRecord(plan, present.record);
    const inWaves = waves ? withStagesInWaves(begun, waves, { before: present.record, now }) : begun;
    const recorded = withAsked(inWaves, plan);
    const ready = isRefused ? [] : members.look(result, recorded, now, waves?.count);
    const happening = [
      ...contactAt,
      ...approvals,
      ...(isRefused ? [] : [...upgrades.look(plan, now), ...nodes.look(result, now)]),
    ];
    const others = (stages: readonly RunStage[] = []): number[] =>
      [...happening, ...wakesBeside(result, stages)].filter((at) => at > now);
    const instants = [...ready, ...others(waves?.stages)];
    const next = earliest(instants);
    if (next > end || steps.length >= mostSteps) {
      const { observations } = present;
      const continuedBy: ForecastRun['continuedBy'] = ({ fleet, commit }) => ({
        ...present,
        now: formatInstant(now + 1000),
        commit,
        // Approvals that were given on the way are part of the record by now.
        fleet: observations === undefined ? members.fleet(fleet) : fleet,
        record: recorded,
      });
      const atEnd = instants.length === 0 ? 'settled' : 'horizon';
      return { steps, silent: members.silent, nodes: nodes.spans(), continuedBy, end: isRefused ? 'refused' : atEnd };
    }
    const { inFlight, silent } = members;
    // Otherwise something happens before they are done, such as the deadline of a run.
    const following =
      next === earliest(ready) && !members.mayRefuse()
        ? wavesAfter(result, { inFlight: inFlight(), silent, tookMs: assumptions.readyAfterMs, before: waves })
        : undefined;
    const freeMs = Math.min(earliest(others(following?.stages)), end) - next;
    // A wave may bring NodePools, whose nodes go from then on.
    waves =
      nodes.areKnown && plan.nodes.length > 0
        ? undefined
        : following && wavesWithin(following, Math.min(mostWaves, freeMs / following.tookMs));
    before = result;
    present = {
      ...present,
      now: formatInstant(next),
      // From the first plan on that is recorded, members have what is recorded, and what they are supposed to have.
      observations: isRefused && present.observations ? members.observations : undefined,
      upgradeObservations: upgrades.observationsAt(next),
      nodeObservations: nodes.observationsAt(next),
      fleet: approver.approvedBy(members.fleet(present.fleet), next),
      record: members.advance(recorded, next),
    };
  }
}

/** Of what waits for a RemovalApproval. */
export const removalDigests = ({ guard, holds }: Plan): readonly string[] =>
  [...guard, ...holds].flatMap(({ removalDigest }) => removalDigest ?? []);

/** What is remembered of requests for approvals of removals, also of a refused plan. Undefined: it is not known what was requested. */
function withAsked(record: FleetRecord, plan: Plan): FleetRecord {
  const digests = removalDigests(plan);
  const { askedRemovals } = record;
  return digests.length === 0 || askedRemovals === undefined
    ? record
    : { ...record, askedRemovals: askedRemovals.union(new Set(digests)) };
}

const earliest = (instants: readonly number[]): number =>
  instants.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);

/** People who merge each request some time after it was made. */
function simulatedApprovers({
  approveAfterMs: afterMs,
  approvesRemovals = true,
}: Pick<Assumptions, 'approveAfterMs' | 'approvesRemovals'>) {
  const due = new Map<string, { readonly at: number; readonly add: (fleet: Fleet) => Fleet }>();
  return {
    /** Instants of approvals to come. */
    look({ plan, contents }: PlanResult, now: number): number[] {
      if (afterMs === undefined) return [];
      const { admitted, input } = contents.world;
      const stopped = [
        ...admitted.runs.filter((run) => stateOf(run) === 'Stop'),
        ...input.fleet.upgradeRuns.filter(({ spec }) => spec.state === 'Stopped'),
      ];
      for (const request of plan.approvals) {
        const { planned, answer, file, subject } = request;
        if (answer !== undefined || file === undefined) continue;
        // A run that is stopped does not take one, and would seem to be under way.
        if (stopped.some((run) => isObject(run, subject))) continue;
        const key = `${planned.kind} ${planned.namespace ?? ''} ${planned.name} ${planned.reviewDigest ?? ''}`;
        if (!due.has(key)) due.set(key, { at: now + afterMs, add: (fleet) => withApproval(fleet, request) });
      }
      for (const digest of approvesRemovals ? removalDigests(plan) : [])
        if (!due.has(digest)) due.set(digest, { at: now + afterMs, add: (fleet) => withRemoval(fleet, digest) });
      return [...due.values()].map(({ at }) => at);
    },
    /** The fleet with what is approved by an instant. */
    approvedBy(fleet: Fleet, at: number): Fleet {
      let approved = fleet;
      for (const [key, request] of due) {
        if (request.at > at) continue;
        approved = request.add(approved);
        // Requested once: a request that is made again, after its approval did not count, is not answered for ever.
        due.set(key, { ...request, add: (same) => same });
      }
      return approved;
    },
  };
}

const isObject = ({ kind, metadata }: StagedUpdateRun | UpdateRun, subject: Hold['subject']): boolean =>
  kind === subject.kind && metadata.name === subject.name && metadata.namespace === subject.namespace;

/** The fleet with the file of an approval that it requests, as its merge adds it. */
export function withApproval(fleet: Fleet, { file }: Pick<RequestedApproval, 'file'>): Fleet {
  const { object } = file!;
  switch (object.kind) {
    case 'ClusterApprovalRequest':
    case 'ApprovalRequest':
      return { ...fleet, approvals: withAnswer(fleet.approvals, object) };
    case 'Gate':
      return { ...fleet, gates: withAnswer(fleet.gates, object) };
    // Merging a proposed run is a decision to upgrade, which the forecast of a commit does not suppose.
    case 'UpdateRun':
      return fleet;
    default:
      return assertNever(object);
  }
}

/** The file of an answer that does not count, such as a stale one, is overwritten. */
const withAnswer = <File extends ApprovalRequest | UpgradeGate>(files: readonly File[], answer: File): File[] => [
  ...files.filter(
    ({ kind, metadata }) => kind !== answer.kind || placementKey(metadata) !== placementKey(answer.metadata),
  ),
  answer,
];

function withRemoval(fleet: Fleet, digest: string): Fleet {
  const approval: RemovalApproval = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'RemovalApproval',
    metadata: { name: `forecast-${digest.slice(-12)}` },
    spec: { removalDigest: digest },
  };
  return { ...fleet, removalApprovals: [...fleet.removalApprovals, approval] };
}
