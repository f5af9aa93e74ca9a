import type { MemberCluster } from '../../api/member-cluster.ts';
import type { Fleet, FleetRecord, PlanInput } from '../../engine/input.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import { type PlanMemo, type PlanResult, planFleet } from '../../engine/plan.ts';
import type { Plan } from '../../engine/plan-document.ts';
import type { Clock } from '../../members/clock.ts';
import { looseEnds } from '../../repo/fleet/loose-ends.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { readRecord } from '../../repo/record/read.ts';
import { sha256 } from '../../repo/sha256.ts';
import type { RepoTree } from '../../repo/tree.ts';
import { inForce } from '../../report/in-force.ts';
import type { FleetMembers } from '../members.ts';
import type { Approvals, DesiredState, Status } from '../ports.ts';
import { forgottenBy } from '../record/forgotten-by.ts';
import { gatheredRecord } from '../record/gathered-record.ts';
import { startsSomething, statusFiles } from '../record/publication.ts';
import { recordedFleet } from '../record/recorded-fleet.ts';
import { type Remembered, statusMemory } from '../record/remembered.ts';
import { statusMessage } from '../record/status-message.ts';
import type { Logger } from '../report/log.ts';
import type { Metrics } from '../report/metrics.ts';
import { syncApprovals } from './approvals.ts';
import { adopted, assignmentsOf } from './assignments.ts';
import { type Basis, type Rest, stillAtRest } from './at-rest.ts';
import { desiredFleet } from './desired-fleet.ts';
import { type Heard, lastHeard } from './last-heard.ts';
import { pushPace } from './push-pace.ts';

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
  readonly fleet: Fleet;
  readonly before: Remembered;
  readonly heard: Heard;
  /** Undefined where there can be no rest. */
  readonly basis: Basis | undefined;
  /** The plan is that of the last pass, and was published then. */
  readonly known: boolean;
}

/** So long is waited after a start for members to be looked at, milliseconds of pace: who hangs must not hold up the others. */
const bootMs = 10_000;

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
  /** What is asked for is merged in the repo itself, which has a working tree; otherwise in a clone. */
  readonly inPlace?: boolean;
  readonly acceptRewind: string | undefined;
  /** Least distance between two pushes, milliseconds of pace; 0 for a local repo. */
  readonly publishIntervalMs: number;
}

/** Reads, plans, records, then lets the actors act: in that order, one pass at a time. */
export function reconciler(input: ReconcilerInput): Reconciler {
  const { desired, status, members, log } = input;
  const memory = statusMemory(status, log);
  const wanted = desiredFleet(input);
  const pace = pushPace(input.pace, input.publishIntervalMs);
  let remembered: Remembered | undefined;
  /** Whether the members were told what a record says (true) or, for want of one, nothing (false); undefined = not told yet. */
  let toldOfRecord: boolean | undefined;
  /** What the next plan goes by while one waits for its push. */
  let gathered: { readonly on: Remembered; readonly record: FleetRecord } | undefined;

  let rest: Rest | undefined;
  /** Of the last plan, whatever became of it: what did not change since is not planned again. */
  let memo: PlanMemo | undefined;

  async function remember(): Promise<Remembered> {
    const before = remembered;
    remembered = await memory.read(members.disputed());
    if (remembered === before) return remembered;
    // Another daemon may have gone on, or accepted a rewind. A branch that was deleted knows nothing: we still do.
    if (remembered.record.commit !== undefined) wanted.accept(remembered.record.commit);
    return remembered;
  }

  async function plan(): Promise<Planned> {
    const before = await remember();
    const record = gathered?.on === before ? gathered.record : before.record;
    const { commit, problems } = await wanted.commit();
    const fleet = await wanted.load(commit, record);
    await members.follow(membersOf(fleet, record), fleet.priceLists);
    const inputNow = formatInstant(input.clock.now());
    const found = [...fleet.problems, ...looseEnds(fleet, record), ...problems, ...before.problems];
    const whole = { ...fleet, problems: found };
    const planInput = { now: inputNow, commit, fleet: whole, record, digest: sha256 };
    // Without a record we know no more than one that starts; and who was without one knows of no cluster what another wrote meanwhile.
    if (toldOfRecord !== before.record.exists) await boot(planInput);
    const heard = lastHeard({ members, told: before.silent, recorded: record.clusters, now: input.clock.now() });
    const observations = heard.sightings;
    // With a plan that waits for its push, or a rewind that is refused, there is no rest.
    const basis =
      record === before.record && problems.length === 0
        ? { remembered: before, fleet, sightings: observations }
        : undefined;
    if (rest && basis && !members.disputed() && stillAtRest(rest, { basis, ms: input.clock.now() }))
      return { result: rest.result, fleet, before, heard, basis, known: true };
    rest = undefined;
    const result = planFleet({ ...planInput, observations }, memo);
    memo = result.memo();
    const placed = await placeProblems(result.plan.problems, async () =>
      (await desired.has(commit)) ? desired.tree(commit) : undefined,
    );
    return {
      result: { ...result, plan: { ...result.plan, problems: placed } },
      fleet,
      before,
      heard,
      basis,
      known: false,
    };
  }

  /**
   * After a start nobody knows what the members hold. What the record says they should hold was published before, so it
   * may be assigned at once; only when the members have been looked at does planning begin.
   */
  async function boot(planInput: Omit<PlanInput, 'observations'>): Promise<void> {
    const { fleet, record } = planInput;
    toldOfRecord = record.exists;
    const recorded = { ...planInput, fleet: recordedFleet(fleet, record), observations: undefined };
    members.assign(record.exists ? adopted(planFleet(recorded)) : new Map());
    // What nobody remembers any more must be looked for.
    if (!record.exists || record.unread?.placements.size) {
      await members.settled(bootMs);
      await members.sweep();
    }
    await members.settled(bootMs);
  }

  /** Undefined where another daemon was first. */
  async function publish({ result, before, heard }: Planned, files: ReadonlyMap<string, string>) {
    const next = result.plan;
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
      return undefined;
    }
    pace.pushed();
    memory.wrote(published.tip, after);
    return { record: after.record, subject: message.split('\n', 1)[0]! };
  }

  return {
    async pass() {
      const planned = await plan();
      const { result, fleet, before, heard, basis } = planned;
      const next = result.plan;
      if (planned.known) {
        members.confirm();
        await syncApprovals(next, inForce(next, { before, fleet }), input.approvals);
        return { kind: 'unchanged', plan: next };
      }
      const files = statusFiles(next, before.files, {
        branch: input.branch,
        inPlace: input.inPlace,
        unreachable: heard.silent,
        notRolledOut: result.notRolledOut(),
        before,
        fleet,
      });
      const changed = !sameFiles(files, before.tip.files);
      if (!changed) pace.unchanged();
      const pushAtMs = changed ? pace.waitsUntil(startsSomething(next)) : undefined;
      if (pushAtMs !== undefined) {
        // Targets of a plan that is not published are not assigned: what the members hold stays as it is. So what it would
        // start is not remembered either.
        if (!startsSomething(next)) {
          const would = readRecord(files, next.record).record;
          gathered = { on: before, record: gatheredRecord({ published: before.record, next: would }) };
        }
        return { kind: 'gathering', plan: next, pushAtMs };
      }
      const published = changed ? await publish(planned, files) : { record: before.record, subject: undefined };
      if (published === undefined) return { kind: 'moved' };
      wanted.published(next.commit);
      const refused = next.guard.length > 0;
      if (!refused) {
        members.assign(assignmentsOf(result), forgottenBy(published.record, result.abandoned));
        if (published.record.exists) toldOfRecord = true;
        members.confirm();
      }
      // Last: a server that takes no such branches must not keep back what was published.
      await syncApprovals(next, inForce(next, { before, fleet }), input.approvals);
      if (basis && !changed && !refused) rest = { basis, result, plannedAtMs: parseInstant(next.now)! };
      return {
        kind: refused ? 'refused' : changed ? 'published' : 'unchanged',
        plan: next,
        subject: published.subject,
      };
    },
  };
}

/** While some file cannot be read, the members that the record knows are followed too: it may have held one of them. */
function membersOf({ members, unreadable, refused }: Fleet, record: FleetRecord): readonly MemberCluster[] {
  if (unreadable.length + refused.length === 0) return members;
  const named = new Set(members.map(({ metadata }) => metadata.name));
  return [...members, ...[...record.clusters].flatMap(([name, member]) => (named.has(name) ? [] : [member]))];
}

function sameFiles(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [path, text] of a) if (b.get(path) !== text) return false;
  return true;
}
