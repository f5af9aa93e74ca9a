import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import { type PlanMemo, type PlanResult, planFleet } from '../../engine/plan.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { Clock } from '../../members/clock.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { readRecord } from '../../repo/record/read.ts';
import { sha256 } from '../../repo/sha256.ts';
import type { RepoTree } from '../../repo/tree.ts';
import type { FleetMembers } from '../members.ts';
import type { Approvals, DesiredState, Status } from '../ports.ts';
import { startsSomething, statusFiles } from '../record/publication.ts';
import { fleetOfLostCommit, recordedFleet } from '../record/recorded-fleet.ts';
import { type Remembered, statusMemory } from '../record/remembered.ts';
import { statusMessage } from '../record/status-message.ts';
import type { Logger } from '../report/log.ts';
import type { Metrics } from '../report/metrics.ts';
import { syncApprovals } from './approvals.ts';
import { adopted, assignmentsOf } from './assignments.ts';
import { type Basis, type Rest, stillAtRest } from './at-rest.ts';
import { type Heard, lastHeard } from './last-heard.ts';
import { rewound } from './rewound.ts';

/** What one pass came to. */
export type PassResult =
  /** `subject`: the first line of the status commit, when one was made. */
  | { readonly kind: 'published' | 'unchanged' | 'refused'; readonly plan: Plan; readonly subject?: string }
  /** The plan waits for the next moment to push; nothing of it has been started. */
  | { readonly kind: 'gathering'; readonly plan: Plan; readonly pushAtMs: number }
  /** Another daemon published first; the next pass starts from what it wrote. */
  | { readonly kind: 'moved' };

interface Planned {
  readonly result: PlanResult;
  readonly before: Remembered;
  readonly heard: Heard;
  /** Undefined where there can be no rest. */
  readonly basis: Basis | undefined;
  /** The plan is that of the last pass, and was published then. */
  readonly known: boolean;
}

export interface Reconciler {
  pass(): Promise<PassResult>;
}

export interface ReconcilerInput {
  readonly desired: DesiredState;
  readonly status: Status;
  readonly approvals: Approvals;
  readonly members: FleetMembers;
  readonly load: (tree: RepoTree) => Promise<Fleet>;
  readonly clock: Clock;
  readonly pace: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly branch: string;
  readonly acceptRewind: string | undefined;
  /** Least distance between two pushes, milliseconds of pace; 0 for a local repo. */
  readonly publishIntervalMs: number;
}

/** News that starts nothing is gathered for a moment: a cluster that is done within it makes one commit, not three. */
const gatherMs = 500;

/** Reads, plans, records, then lets the actors act: in that order, one pass at a time. */
export function reconciler(input: ReconcilerInput): Reconciler {
  const { desired, status, members, log } = input;
  const memory = statusMemory(status, log);
  let remembered: Remembered | undefined;
  let accepted: string | undefined;
  let loaded: { readonly commit: string; readonly fleet: Fleet } | undefined;
  let lastPush = Number.NEGATIVE_INFINITY;
  let acceptRewind = input.acceptRewind;
  let booted = false;
  /** Since when a change waits to be published, milliseconds of pace. */
  let firstSeen: number | undefined;
  /** The record that a plan which waits for its push would make: what it saw first keeps its time in the next plan. */
  let gathered: { readonly on: Remembered; readonly record: FleetRecord } | undefined;

  let rest: Rest | undefined;
  /** Of the last plan, whatever became of it: what did not change since is not planned again. */
  let memo: PlanMemo | undefined;

  async function remember(): Promise<Remembered> {
    const before = remembered;
    remembered = await memory.read(members.disputed());
    if (remembered === before) return remembered;
    // Another daemon may have gone on, or accepted a rewind. A branch that was deleted knows nothing: we still do.
    accepted = remembered.record.commit ?? accepted;
    // Without a record we know no more than one that starts.
    if (before?.record.exists && !remembered.record.exists) booted = false;
    return remembered;
  }

  /** The commit to plan for: the tip, unless it does not descend from what was accepted before. */
  async function admitCommit(): Promise<{ commit: string; problems: Problem[] }> {
    const tip = await desired.poll();
    if (accepted === undefined || tip === accepted || (await desired.isAncestor(accepted, tip))) {
      accepted = tip;
      return { commit: tip, problems: [] };
    }
    if (acceptRewind !== undefined && tip.startsWith(acceptRewind)) {
      log.warn({ commit: tip, before: accepted }, 'rewind accepted');
      accepted = tip;
      return { commit: tip, problems: [] };
    }
    return { commit: accepted, problems: [rewound({ branch: input.branch, tip, accepted })] };
  }

  /** The files of a commit; where they are gone with a cache and a rewind, what the record knows of them. */
  async function loadFleet(commit: string, record: FleetRecord): Promise<Fleet> {
    if (loaded?.commit === commit) return loaded.fleet;
    if (!(await desired.has(commit))) return fleetOfLostCommit(commit, record);
    loaded = { commit, fleet: await input.load(await desired.tree(commit)) };
    return loaded.fleet;
  }

  async function plan(): Promise<Planned> {
    const before = await remember();
    const record = gathered?.on === before ? gathered.record : before.record;
    const { commit, problems } = await admitCommit();
    const fleet = await loadFleet(commit, record);
    const known = [...fleet.members];
    for (const [name, member] of record.clusters) {
      if (fleet.unreadable.length + fleet.refused.length > 0 && !known.some(({ metadata }) => metadata.name === name))
        known.push(member);
    }
    await members.follow(known, fleet.priceLists);
    const inputNow = formatInstant(input.clock.now());
    const whole = { ...fleet, problems: [...fleet.problems, ...problems, ...before.problems] };
    const planInput = { now: inputNow, commit, fleet: whole, record, digest: sha256 };
    if (!booted) await boot(planInput);
    const heard = lastHeard({ members, told: before.silent, recorded: record.clusters, now: input.clock.now() });
    const observations = heard.sightings;
    // With a plan that waits for its push, or a rewind that is refused, there is no rest.
    const basis =
      record === before.record && problems.length === 0
        ? { remembered: before, fleet, sightings: observations }
        : undefined;
    if (rest && basis && !members.disputed() && stillAtRest(rest, { basis, ms: input.clock.now() }))
      return { result: rest.result, before, heard, basis, known: true };
    rest = undefined;
    const result = planFleet({ ...planInput, observations }, memo);
    memo = result.memo();
    const found = await placeProblems(result.plan.problems, async () =>
      (await desired.has(commit)) ? desired.tree(commit) : undefined,
    );
    return { result: { ...result, plan: { ...result.plan, problems: found } }, before, heard, basis, known: false };
  }

  /**
   * After a start nobody knows what the members hold. What the record says they should hold was published before, so it
   * may be assigned at once; only when the members have been looked at does planning begin.
   */
  async function boot(planInput: Omit<Parameters<typeof planFleet>[0], 'observations'>): Promise<void> {
    booted = true;
    if (!planInput.record.exists) {
      members.assign(new Map());
      await members.settled(10_000);
      await members.sweep();
    } else {
      const recorded = {
        ...planInput,
        fleet: recordedFleet(planInput.fleet, planInput.record),
        observations: undefined,
      };
      members.assign(adopted(planFleet(recorded)));
    }
    await members.settled(10_000);
  }

  return {
    async pass() {
      const { result, before, heard, basis, known } = await plan();
      const next = result.plan;
      if (known) {
        members.confirm();
        await syncApprovals(next, input.approvals);
        return { kind: 'unchanged', plan: next };
      }
      const files = statusFiles(next, before.files, {
        branch: input.branch,
        unreachable: heard.silent,
        notRolledOut: result.notRolledOut(),
      });
      const changed = !sameFiles(files, before.tip.files);
      const earliest = lastPush + input.publishIntervalMs;
      if (!changed) firstSeen = undefined;
      else firstSeen ??= input.pace.now();
      const due = startsSomething(next) ? earliest : Math.max(earliest, (firstSeen ?? 0) + gatherMs);
      if (changed && input.pace.now() < due) {
        // Targets of a plan that is not published are not assigned: what the members hold stays as it is. So what it would
        // start is not remembered either.
        if (!startsSomething(next)) gathered = { on: before, record: readRecord(files).record };
        return { kind: 'gathering', plan: next, pushAtMs: due };
      }
      let subject: string | undefined;
      let { record } = before;
      if (changed) {
        const after = readRecord(files, next.record);
        const message = statusMessage({
          before: before.record,
          after: after.record,
          plan: next,
          unreachable: { before: before.silent, after: heard.silent },
        });
        const published = await status.publish(before.tip, files, message);
        if (published.kind === 'moved') {
          memory.moved();
          input.metrics.count('gitfleet_git_push_conflicts_total');
          return { kind: 'moved' };
        }
        subject = message.split('\n', 1)[0]!;
        lastPush = input.pace.now();
        firstSeen = undefined;
        memory.wrote(published.tip, after);
        record = after.record;
      }
      if (acceptRewind !== undefined && next.commit.startsWith(acceptRewind)) acceptRewind = undefined;
      const refused = next.guard.length > 0;
      if (!refused) {
        members.assign(assignmentsOf(result), forgottenBy(record));
        members.confirm();
      }
      // Last: a server that takes no such branches must not keep back what was published.
      await syncApprovals(next, input.approvals);
      if (basis && !changed && !refused) rest = { basis, result, plannedAtMs: parseInstant(next.now)! };
      return { kind: refused ? 'refused' : changed ? 'published' : 'unchanged', plan: next, subject };
    },
  };
}

/** Of what a record that is not lost does not have, another daemon has seen the end. */
const forgottenBy =
  ({ exists, placements }: FleetRecord) =>
  (cluster: ClusterName, placement: PlacementKey): boolean =>
    exists && placements.get(placement)?.state.bindings.every((binding) => binding.targetCluster !== cluster) !== false;

function sameFiles(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [path, text] of a) if (b.get(path) !== text) return false;
  return true;
}
