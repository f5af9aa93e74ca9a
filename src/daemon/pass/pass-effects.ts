import type { MemberCluster } from '../../api/member-cluster.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import { planFleet } from '../../engine/plan.ts';
import { configInEffect } from '../../engine/recovery/last-good-config.ts';
import { memoOf, type PlanMemo } from '../../engine/reuse/memo.ts';
import type { ListedApprovals } from '../../git/approval-branches.ts';
import type { Person } from '../../git/person.ts';
import type { Clock } from '../../members/clock.ts';
import { fleetWarnings } from '../../repo/fleet/fleet-warnings.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import { readRecord } from '../../repo/record/read.ts';
import { isSameText, type StatusText } from '../../repo/record/status-text.ts';
import { sha256 } from '../../repo/sha256.ts';
import type { RepoTree } from '../../repo/tree.ts';
import type { Change } from '../../report/change.ts';
import { hasNews, statusMessage } from '../../report/commit-message.ts';
import { inEffect } from '../../report/in-effect.ts';
import { currenciesOf } from '../../report/money.ts';
import type { FleetMembers } from '../members.ts';
import type { Approvals, DesiredState, Status } from '../ports.ts';
import type { PullRequestPreviews } from '../previews/pull-request-previews.ts';
import { forgottenBy } from '../record/forgotten-by.ts';
import { gatheredRecord } from '../record/gathered-record.ts';
import { withoutLargeDocuments } from '../record/member-documents.ts';
import { statusFiles, usesApproval, withOthers } from '../record/publication.ts';
import { recordedFleet } from '../record/recorded-fleet.ts';
import { type Remembered, type StatusMemory, statusMemory } from '../record/remembered.ts';
import { type RecordVerifier, recordVerifier } from '../record/verify/verify-record.ts';
import { withheldTargets, withoutReleasedReports, withShownReports } from '../record/verify/withheld-targets.ts';
import type { Logger } from '../report/log.ts';
import type { Metrics } from '../report/metrics.ts';
import type { ApprovalRequests } from '../requests/approval-requests.ts';
import { requestKeeper } from '../requests/request-keeper.ts';
import { syncApprovals } from './approvals.ts';
import { approverFinder, type FindApprovers } from './approvers.ts';
import { adopted, assignmentsOf } from './assignments.ts';
import { type DesiredFleet, desiredFleet } from './desired-fleet.ts';
import { lastContacts } from './last-contact.ts';
import { type NeededProperties, neededProperties } from './needed-properties.ts';
import type { Loaded, Observed, PassEffect, PassEvent, Planned } from './pass-state.ts';
import { type PushPace, pushPace } from './push-pace.ts';
import { snapshotAuthors } from './snapshot-authors.ts';

/** Ports of a pass. */
export interface PassPorts {
  readonly desired: DesiredState;
  readonly status: Status;
  readonly approvals: Approvals;
  readonly requests: ApprovalRequests;
  readonly previews: PullRequestPreviews;
  readonly members: FleetMembers;
  readonly load: (tree: RepoTree) => Promise<Fleet>;
  /** The same for past commits, which must not replace the present files in the cache. */
  readonly loadPast: (tree: RepoTree) => Promise<Fleet>;
  readonly clock: Clock;
  readonly pace: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly branch: string;
  readonly statusBranch: string;
  /** Author of gitfleet's own commits. */
  readonly author: Person;
  /** The repo has a working tree, so approval branches are merged there; otherwise in a clone. */
  readonly inPlace?: boolean;
  readonly acceptRewind: string | undefined;
  /** Least distance between two pushes, milliseconds of pace; 0 for a local repo. */
  readonly publishIntervalMs: number;
  /** It ends once the outcome is recorded. */
  readonly once?: boolean | undefined;
}

/** Longest wait for observations, milliseconds of pace: a hanging member must not block the others. */
const bootMs = 10_000;

/** Performs an effect of a pass. Resolves with its event if the pass depends on one. */
export function passEffects(
  input: PassPorts,
): (effect: Exclude<PassEffect, { readonly kind: 'finish' }>) => Promise<PassEvent | undefined> {
  const { members, approvals } = input;
  const memory = statusMemory(input.status, input.log);
  const wanted = desiredFleet(input);
  const verifier = recordVerifier(input);
  const findApprovers = approverFinder({ ...input, ...input.requests });
  const pace = pushPace(input.pace, { intervalMs: input.publishIntervalMs, once: input.once ?? false });
  /** Memo of the last plan, also if it was refused: unchanged parts are not planned again. */
  let memo: PlanMemo | undefined;
  /** Of the approval branches, after the last plan: reported with the next one. */
  let requestProblems: readonly Problem[] = [];
  const keepRequests = requestKeeper(input);
  const properties = neededProperties(input);
  /** What there was before the record was read. */
  let branches: ListedApprovals = { names: [], others: [], asOfMs: 0 };
  return async (effect) => {
    switch (effect.kind) {
      case 'readRecord':
        branches = await approvals.list();
        return { kind: 'recordRead', remembered: await memory.read(members.disputed()) };
      case 'acceptCommit':
        return void wanted.claim(effect.commit);
      case 'load':
        return {
          kind: 'loaded',
          loaded: await load({ input, wanted, verifier, findApprovers, requestProblems, properties }, effect),
        };
      case 'adopt':
        await adopt({ ...input, verifier }, effect.loaded);
        return { kind: 'adopted', loaded: effect.loaded };
      case 'observe':
        await properties.read(bootMs);
        return observe(input, effect.loaded);
      case 'plan': {
        const { planned, nextMemo } = await plan({ input, verifier }, effect.observed, memo);
        memo = nextMemo;
        return paced(planned, pace);
      }
      case 'publish':
        return publish({ input, memory, pace, verifier }, effect.planned);
      case 'useRewind':
        return void wanted.published(effect.commit);
      case 'assign': {
        const { result, record, withheld, changed } = effect.recorded;
        return void members.assign(
          assignmentsOf(result, { ...withheld, isDoubtedOperation: verifier.isDoubtedOperation, pushed: changed }),
          forgottenBy(record, result.abandoned),
        );
      }
      case 'confirm':
        return void members.confirm();
      case 'requestApprovals': {
        const { recorded, known } = effect;
        const { plan } = recorded.result;
        const present = { ...inEffect(plan, recorded), config: configInEffect(recorded) };
        const { problems, tips, withdrawn } = await syncApprovals(plan, present, approvals, new Set(branches.names));
        requestProblems = problems;
        await keepRequests({ recorded, present, tips, problems, withdrawn, asOf: branches });
        const { input: planned } = recorded.result.contents.world;
        input.previews.take({
          forge: present.config?.spec.forge,
          // At rest the plan is older than what members reported since: its heartbeats would count as stale.
          input: { ...planned, ...(known && { observations: recorded.basis!.observations }), record: recorded.record },
          digest: plan.digest,
        });
        return { kind: 'approvalsRequested', recorded, known };
      }
      default:
        return assertNever(effect);
    }
  };
}

async function load(
  {
    input,
    wanted,
    verifier,
    findApprovers,
    requestProblems,
    properties,
  }: {
    readonly input: PassPorts;
    readonly wanted: DesiredFleet;
    readonly verifier: RecordVerifier;
    readonly findApprovers: FindApprovers;
    readonly requestProblems: readonly Problem[];
    readonly properties: NeededProperties;
  },
  { before, record: claimed }: { readonly before: Remembered; readonly record: FleetRecord },
): Promise<Loaded> {
  const asked = await wanted.commit();
  const { commit } = asked;
  const ofForge = [...input.requests.problems(), ...input.previews.problems()];
  const problems = [...asked.problems, ...requestProblems, ...ofForge];
  const followed = await wanted.followed(asked);
  const { problems: mismatches, ...verified } = await verifier.verify(claimed, {
    followed,
    // A record that waits for its push may be of a later commit than what is reported.
    reported: before.record.commit === followed.commit ? before.reported : [],
    refused: before.refused,
    replacements: before.replacements,
    silent: before.unreachable,
    isPublished: claimed === before.record,
    now: input.clock.now(),
  });
  const { record } = verified;
  const fleet = wanted.fleetAt(asked, { followed, record });
  properties.loaded({ fleet, record });
  await input.members.follow(membersOf(fleet, record), fleet);
  const now = formatInstant(input.clock.now());
  const found = [...fleet.problems, ...fleetWarnings(fleet, record), ...problems, ...before.problems, ...mismatches];
  const approvers = asked.insteadOf === undefined ? await findApprovers({ commit, fleet, record }) : undefined;
  const whole = { ...fleet, problems: found, approvers };
  const planInput = {
    now,
    commit,
    fleet: whole,
    upgradeObservations: undefined,
    record,
    unproven: verifier.unproven(),
    digest: sha256,
  };
  return { before, ...verified, isPublished: claimed === before.record, fleet, problems, input: planInput };
}

/**
 * After a start the state of the members is unknown. The targets in the record were published before, so they are assigned at
 * once, as far as they are proven. Planning starts when the members have been observed.
 */
async function adopt(
  { members, pace, verifier }: Pick<PassPorts, 'members' | 'pace'> & { readonly verifier: RecordVerifier },
  { input: planInput }: Pick<Loaded, 'input'>,
): Promise<void> {
  const { fleet, record } = planInput;
  const recorded = {
    ...planInput,
    record: verifier.withoutUnshown(record),
    fleet: recordedFleet(fleet, record),
    observations: undefined,
  };
  members.assign(record.exists ? adopted(planFleet(recorded), verifier) : new Map());
  const until = pace.now() + bootMs;
  const left = (): number => Math.max(until - pace.now(), 0);
  // Without a record our objects of all kinds must be found.
  if (!record.exists || record.unread?.placements.size) {
    await members.settled(left());
    await members.sweep(left());
  }
  await members.settled(left());
}

function observe({ members, clock, requests, previews }: PassPorts, loaded: Loaded): PassEvent {
  const { before, record, isPublished, fleet, problems } = loaded;
  // Of what is swept later the observations may not show everything.
  const swept = members.swept();
  const contacts = lastContacts({
    members,
    recordedUnreachable: before.unreachable,
    recorded: record.clusters,
    now: clock.now(),
  });
  // A plan that waits for its push, or a refused rewind, prevents rest.
  const mayRest = isPublished && problems.length === 0;
  const basis = mayRest
    ? {
        remembered: before,
        record,
        fleet,
        observations: contacts.observations,
        pages: requests.pages(),
        previews: previews.wantedFiles(),
      }
    : undefined;
  return {
    kind: 'observed',
    observed: { ...loaded, swept, contacts, basis },
    disputed: members.disputed(),
    atMs: clock.now(),
  };
}

async function plan(
  {
    input: { desired, branch, statusBranch, inPlace, requests, previews, members },
    verifier,
  }: { readonly input: PassPorts; readonly verifier: RecordVerifier },
  observed: Observed,
  memo: PlanMemo | undefined,
): Promise<{ readonly planned: Planned; readonly nextMemo: PlanMemo }> {
  const { before, fleet, swept, contacts, input, waiting, isPublished } = observed;
  const { observations } = contacts;
  const {
    record,
    problems: invented,
    unconfirmed,
  } = await verifier.observed(input.record, {
    observations,
    swept: swept.whole,
    now: parseInstant(input.now)!,
    isPublished,
    shownBy: (doubtful) =>
      withheldTargets(planFleet({ ...input, record: doubtful, observations }), verifier, observations).shown,
  });
  const unproven = verifier.unproven();
  const doubting = { ...input, record, observations, askedSince: members.askedSince(), unproven };
  const doubted = planFleet(doubting, memo);
  const shown = unproven.size === 0 ? [] : withheldTargets(doubted, verifier, observations).shown;
  const complete = { ...doubting, observations: withShownReports(observations, shown, record) };
  const first = shown.length === 0 ? doubted : planFleet(complete, memo);
  const released = withoutReleasedReports(first, verifier, complete.observations);
  const decided = released === undefined ? first : planFleet({ ...complete, observations: released }, memo);
  const bounded = withoutLargeDocuments(decided.plan, before.files);
  const result = { ...decided, plan: bounded.plan };
  // Invented bindings may be what the guard refuses. Without a plan no actor looks whether their clusters have anything of them.
  const refused = result.plan.guard.length > 0 ? verifier.unconfirmed({ observations, swept: swept.whole }) : [];
  const unswept = new Set([...unconfirmed, ...refused]).intersection(swept.never);
  if (unswept.size > 0) void members.sweep(bootMs, unswept);
  const nextMemo = memoOf(result.parts);
  const withheld = withheldTargets(result, verifier, observations);
  for (const { key, cluster } of withheld.shown) verifier.shown(key, cluster);
  const found = [...result.plan.problems, ...bounded.problems, ...verifier.unreported(invented, withheld.problems)];
  const problems = await placeProblems(found, async () =>
    (await desired.has(input.commit)) ? desired.tree(input.commit) : undefined,
  );
  const next = { ...result.plan, problems };
  const files = withOthers(
    statusFiles(next, before.files, {
      branch,
      statusBranch,
      inPlace,
      unreachable: contacts.unreachable,
      notRolledOut: result.notRolledOut,
      pages: new Map([...before.pages, ...requests.pages()]),
      // Only proven requests are written again.
      before: { ...before, record: { ...before.record, askedRemovals: record.askedRemovals } },
      fleet,
    }),
    { plan: next, waiting, before: before.files, previews: previews.files(before.files) },
  );
  const changed = !sameFiles(files, before.tip.files);
  // The plan decided the same as the record says.
  if (!changed && next.guard.length === 0) verifier.confirmed(before.record);
  return { planned: { ...observed, withheld, result: { ...result, plan: next }, files, changed }, nextMemo };
}

/** When the plan may be pushed, and the record for the next plan if it must wait. */
function paced(planned: Planned, pace: PushPace): PassEvent {
  const { before, changed, files, result } = planned;
  const { plan } = result;
  // A refusal is reported at once.
  const starts = plan.guard.length > 0 || result.starts || usesApproval(plan, before.record);
  if (!changed) {
    pace.unchanged();
    return { kind: 'planned', planned, pushAtMs: undefined, gathered: undefined };
  }
  if (starts) return { kind: 'planned', planned, pushAtMs: pace.waitsUntil('start'), gathered: undefined };
  const next = readRecord(files, plan.record);
  const pushAtMs = pace.waitsUntil(hasNews(changeOf(planned, next)) ? 'news' : 'quiet');
  const gathered = pushAtMs === undefined ? undefined : gatheredRecord({ published: before.record, next: next.record });
  return { kind: 'planned', planned, pushAtMs, gathered };
}

const changeOf = ({ before, contacts, result }: Planned, after: ReturnType<typeof readRecord>): Change => ({
  before: before.record,
  after: after.record,
  plan: result.plan,
  pages: { before: before.pages, after: after.pages },
  reported: before.reported,
  currencies: currenciesOf(result.contents.world.input.fleet),
  unreachable: { before: before.unreachable, after: contacts.unreachable },
});

async function publish(
  {
    input,
    memory,
    pace,
    verifier,
  }: {
    readonly input: PassPorts;
    readonly memory: StatusMemory;
    readonly pace: PushPace;
    readonly verifier: RecordVerifier;
  },
  planned: Planned,
): Promise<PassEvent> {
  const { before, files, result } = planned;
  const after = readRecord(files, result.plan.record);
  const message = statusMessage({
    ...changeOf(planned, after),
    authors: await snapshotAuthors({ before: before.record, after: after.record, commit: result.plan.commit }, input),
  });
  const published = await input.status.publish(before.tip, files, message);
  if (published.kind === 'moved') {
    memory.moved();
    input.metrics.count('gitfleet_git_push_conflicts_total');
    return { kind: 'rejected' };
  }
  pace.pushed();
  memory.wrote(published.tip, after);
  verifier.requested(after.record);
  // A refused plan leaves the files as they are.
  if (result.plan.guard.length === 0) verifier.published(after.record);
  const subject = message.split('\n', 1)[0]!;
  return { kind: 'published', recorded: { ...planned, record: after.record, subject } };
}

/** If a file cannot be read, members of the record are followed too: the file may define one of them. */
function membersOf({ members, unreadable, refused }: Fleet, record: FleetRecord): readonly MemberCluster[] {
  if (unreadable.length + refused.length === 0) return members;
  const named = new Set(members.map(({ metadata }) => metadata.name));
  return [...members, ...[...record.clusters].flatMap(([name, member]) => (named.has(name) ? [] : [member]))];
}

function sameFiles(a: ReadonlyMap<string, StatusText>, b: ReadonlyMap<string, StatusText>): boolean {
  if (a.size !== b.size) return false;
  for (const [path, text] of a) if (!isSameText(b.get(path), text)) return false;
  return true;
}
