import type { FleetConfig } from '../../api/gitfleet.ts';
import { messageOf } from '../../api/message-of.ts';
import type { Problem } from '../../api/problem.ts';
import {
  type Assigned,
  type Branches,
  type Forge,
  ForgeError,
  type PullRequest,
  reviewersField,
} from '../../forge/forge.ts';
import type { OpenedForge } from '../../forge/open-forge.ts';
import { type Clock, sleep } from '../../members/clock.ts';
import type { RequestPage } from '../../repo/record/summary.ts';
import type { Metrics } from '../report/metrics.ts';
import type { AnsweredRequest } from './answered-requests.ts';
import { callLoop, failedCall, isDown, lookAgain } from './forge-calls.ts';
import {
  afterEvent,
  type BranchesAsOf,
  type ForgeCall,
  type ForgeEvent,
  firstRequestState,
  hasLeftover,
  nextCall,
  type RequestState,
  troubles,
  type WantedRequest,
  wantedAsOf,
} from './request-state.ts';

/** Users who decided a pull request. */
export interface Deciders {
  readonly merger: string | undefined;
  /** Who approved it; undefined: the forge did not tell. */
  readonly reviewers: readonly string[] | undefined;
}

/** Pull requests for approvals, updated apart from reconciliations, which never wait for the forge. */
export interface ApprovalRequests {
  /** Opens the forge that fleet.yaml names; undefined where there is none. */
  forge(named: FleetConfig['spec']['forge']): Pick<Forge, 'kind' | 'mostCharacters'> | undefined;
  /** Complete: open ones of other approvals are closed. `answers`: texts of these no longer say how to decide. */
  want(requests: readonly WantedRequest[], asOf: BranchesAsOf, answers: readonly AnsweredRequest[]): void;
  /** The same are wanted as of a later time. */
  confirm(asOf: BranchesAsOf): void;
  /** By name of the approval. The same object as long as nothing changed. */
  pages(): ReadonlyMap<string, RequestPage>;
  /** Users who approved the pull request of an approval, as far as the forge was asked. */
  reviewersOf(approval: string): readonly string[];
  /** Who merged it. Undefined where the forge does not tell at once: an approval needs only its merge. */
  decidedBy(approval: string, named: FleetConfig['spec']['forge']): Promise<Deciders | undefined>;
  problems(): readonly Problem[];
  /** Something may have changed at the forge. */
  look(): void;
  stop(): void;
}

/** Opens the forge of a fleet repo, as fleet.yaml names it; the same object for the same text. */
export type OpenForge = (named: FleetConfig['spec']['forge']) => OpenedForge;

const prefix = 'gitfleet/approve/';
/** Reconciliations that find approvals wait so long for all of their names, in each of these times. */
const mergersWithinMs = 2_000;
const mergersEveryMs = 60_000;

export function approvalRequests(input: {
  readonly open: OpenForge;
  /** The branch that is followed. */
  readonly branch: string;
  readonly pace: Clock;
  readonly metrics: Metrics;
  /** Pages or problems changed. */
  readonly changed: () => void;
}): ApprovalRequests {
  const { pace, branch, metrics } = input;
  let opened: OpenedForge = {};
  let assigned: Assigned = { labels: [], reviewers: [] };
  let state = firstRequestState;
  let mergers = { sinceMs: 0, spentMs: 0 };
  let shown: { readonly pages: ReadonlyMap<string, RequestPage>; readonly problems: readonly Problem[] } = nothingShown;
  const loop = callLoop(pace, () => opened.forge && nextCall(state, pace.now()), ask);

  function take(event: ForgeEvent): void {
    state = afterEvent(state, event, pace.now());
    metrics.set('gitfleet_pull_requests', openIn(state));
    const next = { pages: pagesIn(state, assigned), problems: problemsIn(state, opened, pace.now()) };
    if (JSON.stringify([[...next.pages], next.problems]) === JSON.stringify([[...shown.pages], shown.problems])) return;
    shown = next;
    // The reconciliation that wants them reads them by itself.
    if (event.kind !== 'wanted') input.changed();
  }

  async function ask(call: ForgeCall): Promise<void> {
    const forge = opened.forge!;
    const event = await perform(forge, call, { base: branch, assigned }).catch((error: unknown) =>
      failedCall(call, error, { code: 'unreachable', why: messageOf(error) }),
    );
    metrics.count('gitfleet_forge_requests_total', { result: event.kind === 'failed' ? event.code : 'ok' });
    // Another forge is used by now.
    if (loop.isStopped() || forge !== opened.forge) return;
    take(event);
  }

  return {
    forge(config) {
      const next = input.open(config);
      if (next !== opened) {
        opened = next;
        assigned = { labels: config?.labels ?? [], reviewers: config?.reviewers ?? [] };
        state = firstRequestState;
        shown = { pages: new Map(), problems: problemsIn(state, opened, pace.now()) };
      }
      return opened.forge;
    },
    want(requests, asOf, answers) {
      if (!opened.forge) return;
      take({ kind: 'wanted', requests, answers, asOf });
      loop.go();
    },
    confirm(asOf) {
      const before = state;
      state = wantedAsOf(state, asOf);
      if (hasLeftover(state) && !hasLeftover(before)) loop.go();
    },
    pages: () => shown.pages,
    reviewersOf: (approval) => state.reviews.get(approval)?.by ?? [],
    async decidedBy(approval, named) {
      const { forge } = input.open(named);
      const beganMs = pace.now();
      if (beganMs - mergers.sinceMs >= mergersEveryMs) mergers = { sinceMs: beganMs, spentMs: 0 };
      const spending = mergers;
      const leftMs = mergersWithinMs - spending.spentMs;
      if (!forge || isDown(state, beganMs) || leftMs <= 0) return undefined;
      const known = forge === opened.forge ? state.known.get(approval) : undefined;
      const told = new AbortController();
      const late = sleep(pace, leftMs, told.signal).then(() => undefined);
      return decidersOf(forge, { known, head: prefix + approval, base: branch, late }).finally(() => {
        told.abort();
        spending.spentMs += pace.now() - beganMs;
      });
    },
    problems: () => shown.problems,
    look() {
      state = lookAgain(state, pace.now());
      loop.go();
    },
    stop: loop.stop,
  };
}

/** One that was merged while no daemon ran is the newest of its branch: one that is asked again has a newer one. */
async function decidersOf(
  forge: Forge,
  {
    known,
    late,
    ...branches
  }: Branches & { readonly known: PullRequest | undefined; readonly late: Promise<undefined> },
): Promise<Deciders | undefined> {
  const inTime = <T>(answer: Promise<T>): Promise<T | undefined> => Promise.race([answer.catch(() => undefined), late]);
  const [newest] = known ? [known] : ((await inTime(forge.find(branches))) ?? []);
  if (newest === undefined || !(known || newest.state === 'merged')) return undefined;
  const asked = [inTime(forge.mergedBy(newest.number)), inTime(forge.approvers(newest.number))] as const;
  const [merger, reviewers] = await Promise.all(asked);
  return { merger, reviewers };
}

const nothingShown = { pages: new Map(), problems: [] };

const openIn = ({ known }: RequestState): number => [...known.values()].filter(({ state }) => state === 'open').length;

function pagesIn({ known, wanted }: RequestState, { labels, reviewers }: Assigned): ReadonlyMap<string, RequestPage> {
  const isAny = labels.length + reviewers.length > 0;
  return new Map(
    [...known]
      .filter(([name, { url }]) => wanted?.has(name) && url !== '')
      .map(([name, { url, state, assignment }]) => [
        name,
        { url, state, ...(isAny && assignment === 'set' && { assigned: true }) },
      ]),
  );
}

async function perform(
  forge: Forge,
  call: ForgeCall,
  { base, assigned }: { readonly base: string; readonly assigned: Assigned },
): Promise<ForgeEvent> {
  switch (call.kind) {
    case 'list': {
      const pulls = (await forge.listOpen(base)).filter(({ head, isFork }) => head.startsWith(prefix) && !isFork);
      return { kind: 'listed', pulls: new Map(pulls.map((pull) => [pull.head.slice(prefix.length), pull])) };
    }
    case 'find':
      return { ...call, kind: 'found', pulls: await forge.find({ head: prefix + call.request.name, base }) };
    case 'open': {
      const { name, title, body } = call.request;
      return { ...call, kind: 'opened', pull: await forge.open({ head: prefix + name, base, title, body }) };
    }
    case 'assign':
      if (assigned.labels.length + assigned.reviewers.length > 0) await forge.assign(call.number, assigned);
      return { ...call, kind: 'assigned' };
    case 'edit':
      await forge.edit(call.number, call.request);
      return { ...call, kind: 'edited' };
    case 'reviews':
      return { ...call, kind: 'reviewed', by: await reviewersOf(forge, call.number) };
    case 'close':
      await forge.close(call.number);
      return { ...call, kind: 'closed' };
    case 'seek':
      return { ...call, kind: 'sought', pulls: await forge.find({ head: prefix + call.name, base }) };
    case 'rewrite':
      await forge.edit(call.number, call);
      return { ...call, kind: 'rewritten' };
  }
}

/** Undefined where the token may not read them, or the forge has none: an approval needs only its merge. */
async function reviewersOf(forge: Forge, number: number): Promise<readonly string[] | undefined> {
  try {
    return await forge.approvers(number);
  } catch (error) {
    if (error instanceof ForgeError && error.code !== 'unreachable' && error.code !== 'limited') return undefined;
    throw error;
  }
}

function problemsIn(state: RequestState, { missing, forge }: OpenedForge, nowMs: number): Problem[] {
  const fixOf = (message: string): string =>
    message.includes(reviewersField)
      ? 'name users there who may review, or leave them out'
      : 'merge the approval branches by git meanwhile';
  return [
    ...(missing === undefined ? [] : [missing]),
    ...troubles(state, nowMs).map((why) => `pull requests of ${forge?.repository}: ${why}`),
  ].map((message) => ({ severity: 'warning', code: 'forge', message, fix: fixOf(message) }));
}
