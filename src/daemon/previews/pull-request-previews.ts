import type { FleetConfig } from '../../api/gitfleet.ts';
import { messageOf } from '../../api/message-of.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, PlanInput } from '../../engine/input.ts';
import { formatInstant } from '../../engine/kernel/instant.ts';
import { type Forge, ForgeError, type PullRequest } from '../../forge/forge.ts';
import type { Branches } from '../../git/branches.ts';
import { GitError } from '../../git/git-error.ts';
import { branchRef } from '../../git/source.ts';
import { type Clock, sleep } from '../../members/clock.ts';
import type { StatusText } from '../../repo/record/status-text.ts';
import type { RepoTree } from '../../repo/tree.ts';
import type { Logger } from '../report/log.ts';
import type { Metrics } from '../report/metrics.ts';
import type { OpenForge } from '../requests/approval-requests.ts';
import { callLoop, failedCall, lookAgain } from '../requests/forge-calls.ts';
import { cutTexts } from './cut-texts.ts';
import { planPullRequest, pullRef } from './plan-pull-request.ts';
import {
  afterPreviewEvent,
  firstPreviewState,
  nextPreviewCall,
  type PreviewCall,
  type PreviewEvent,
  previewTroubles,
  sameStatus,
} from './preview-state.ts';
import { contextOf, failedPreview, markerOf, ofFolder, type PreviewText, saysTheSame } from './preview-text.ts';
import type { StartedPlans } from './started-plans.ts';

/** Comments and statuses that show what merging a pull request would do, updated apart from reconciliations, which never wait for them. */
export interface PullRequestPreviews {
  /** Nothing is asked of the forge before. */
  start(): void;
  /** The last reconciliation; takes the same time however many pull requests there are. */
  take(live: Live): void;
  /** Texts that are cut in comments, as the status branch should have them, by path; `before`: all of its files. */
  files(before: ReadonlyMap<string, StatusText>): ReadonlyMap<string, string>;
  /** The same object as long as `files` would give the same. */
  wantedFiles(): object;
  problems(): readonly Problem[];
  /** Something may have changed at the forge. */
  look(): void;
  stop(): void;
}

export interface Live {
  /** As fleet.yaml of the followed branch says. */
  readonly forge: FleetConfig['spec']['forge'];
  /** Of the last plan, with the record after it. */
  readonly input: PlanInput;
  readonly digest: string;
}

export interface PreviewPorts {
  readonly open: OpenForge;
  /** The repository as pull requests are read: apart from what reconciliations read, so that neither waits for the other. */
  readonly branches: () => Promise<Branches>;
  readonly load: (tree: RepoTree) => Promise<Fleet>;
  readonly branch: string;
  readonly folder?: string | undefined;
  readonly statusBranch: string;
  /** The fleet's time, used in plans. */
  readonly clock: Clock;
  readonly pace: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly startedPlans: StartedPlans;
  /** Files of the status branch or problems changed. */
  readonly changed: () => void;
}

/** Each takes time again and again: those of the repository first, of them the newest. */
const mostPreviews = 100;
export function pullRequestPreviews(input: PreviewPorts): PullRequestPreviews {
  const { pace, metrics } = input;
  let live: Live | undefined;
  let forge: Forge | undefined;
  let state = firstPreviewState;
  let problems: readonly Problem[] = [];
  const texts = cutTexts(() => state);
  let started = false;
  const isReady = (): boolean => started && forge !== undefined && live !== undefined;
  const next = () => (isReady() ? nextPreviewCall(state, fleetOf(live!), pace.now()) : undefined);
  const loop = callLoop(pace, next, (call) => ask(live!, forge!, call));

  function take(event: PreviewEvent): void {
    const { noForkStatus } = state;
    state = afterPreviewEvent(state, event, pace.now());
    if (noForkStatus === undefined && state.noForkStatus !== undefined)
      input.log.info(
        { why: state.noForkStatus.why },
        'no status of commits of forks is possible: they get comments only',
      );
    metrics.set('gitfleet_previews', [...state.previews.values()].filter(({ planned }) => planned).length);
    const next = problemsIn(previewTroubles(state, pace.now()), forge);
    const isNew = JSON.stringify(next) !== JSON.stringify(problems);
    if (isNew) problems = next;
    if (texts.changed() || isNew) input.changed();
  }

  async function ask(of: Live, at: Forge, call: PreviewCall): Promise<void> {
    const open = [...state.previews.values()].map(({ pull }) => pull);
    const context = { ...input, live: of, forge: at, pulls: open, isStopped: loop.isStopped };
    const event = await perform(call, context).catch((error: unknown) => {
      if (call.kind === 'plan' && !loop.isStopped())
        input.log.warn({ err: error, pullRequest: call.pull.number }, 'cannot read a pull request');
      // What cannot be read now may be readable the next time.
      const code = call.kind === 'plan' ? 'unreachable' : 'refused';
      return failedCall(call, error, { code, why: whyOf(call, error) });
    });
    if (call.kind !== 'plan')
      metrics.count('gitfleet_forge_requests_total', { result: event.kind === 'failed' ? event.code : 'ok' });
    // Another forge is used by now.
    if (!loop.isStopped() && at === forge) take(event);
  }

  return {
    start() {
      started = true;
    },
    take(next) {
      const opened = input.open(next.forge).forge;
      if (opened !== forge) {
        forge = opened;
        state = firstPreviewState;
        problems = [];
        loop.cancel();
      }
      live = next;
      // Otherwise the next list, at most a minute away, sees what changed.
      if (!loop.isWaiting()) loop.go();
    },
    files: texts.files,
    wantedFiles: texts.wanted,
    problems: () => problems,
    look() {
      state = lookAgain(state, pace.now());
      loop.go();
    },
    stop() {
      loop.stop();
      input.startedPlans.end();
    },
  };
}

const fleetOf = ({ input, digest }: Live) => ({ commit: input.commit, digest });

const problemsIn = (troubles: readonly string[], forge: Forge | undefined): Problem[] =>
  troubles.map((why) => ({
    severity: 'warning',
    code: 'forge',
    message: `previews of pull requests of ${forge?.repository}: ${why}`,
    fix: 'use gitfleet plan --base meanwhile',
  }));

interface Context extends PreviewPorts {
  readonly live: Live;
  readonly forge: Forge;
  /** Open ones that have previews. */
  readonly pulls: readonly PullRequest[];
  readonly isStopped: () => boolean;
}

async function perform(call: PreviewCall, context: Context): Promise<PreviewEvent> {
  const { forge, branch, live } = context;
  switch (call.kind) {
    case 'list': {
      const pulls = await forge.listOpen(branch);
      const isPreviewed = ({ isFork, headCommit }: PullRequest): boolean =>
        headCommit !== '' && (!isFork || live.forge?.previewForks === true);
      const previewed = pulls
        .filter(isPreviewed)
        .sort((a, b) => Number(a.isFork) - Number(b.isFork) || b.number - a.number);
      return { kind: 'listed', pulls: previewed.slice(0, mostPreviews) };
    }
    case 'status':
      return { kind: 'statusSet', pull: call.pull, status: await setStatus(forge, call, context) };
    case 'comment':
      return { kind: 'commented', pull: call.pull, ...(await writeComment(forge, call, context)) };
    case 'plan': {
      return { kind: 'planned', pull: call.pull, of: fleetOf(live), ...(await plannedIn(call.pull, context)) };
    }
  }
}

/** The status that is there by then. A commit that has one is not pending again after a restart. */
async function setStatus(
  forge: Forge,
  { pull, status }: Extract<PreviewCall, { readonly kind: 'status' }>,
  { folder }: Pick<Context, 'folder'>,
): Promise<PreviewText['status']> {
  const context = contextOf(folder);
  const there = await forge.status(pull.headCommit, context);
  if (there && (status.state === 'pending' || sameStatus(there, status))) return there;
  const place = { context, ref: pull.head, ...(pull.url && { url: pull.url }) };
  await forge.setStatus(pull.headCommit, { ...status, ...place });
  return status;
}

/** Milliseconds. Another daemon, or this one before a restart, may have edited it. */
const editEveryMs = 60_000;

/** The comment that is there by then. Of several, as two daemons may begin one at the same time, the oldest stays. */
async function writeComment(
  forge: Forge,
  { pull: { number }, body }: Extract<PreviewCall, { readonly kind: 'comment' }>,
  { folder, pace }: Pick<Context, 'folder' | 'pace'>,
): Promise<{ readonly body: string; readonly editedMs: number }> {
  const [nowMs, marker] = [pace.now(), markerOf(folder)];
  let own = await forge.comments(number, marker);
  if (own.length === 0) {
    await forge.addComment(number, body);
    own = await forge.comments(number, marker);
  }
  const [first, ...others] = own;
  for (const { id } of others)
    await forge.deleteComment(number, id).catch((error: unknown) => {
      if (!(error instanceof ForgeError && error.code === 'not-found')) throw error;
    });
  // The forge does not list it as one of this account: another edit would be another comment.
  if (first === undefined) return { body, editedMs: Number.POSITIVE_INFINITY };
  const { id, editedMs } = first;
  const found = { body: first.body, editedMs: Math.min(editedMs, nowMs) };
  if (saysTheSame(first.body, body) || nowMs < found.editedMs + editEveryMs) return found;
  await forge.editComment(number, { id, body });
  return { body, editedMs: nowMs };
}

async function plannedIn(pull: PullRequest, context: Context): ReturnType<typeof planPullRequest> {
  const { text, ...rest } = await planned(pull, context);
  return { ...rest, text: ofFolder(text, context.folder) };
}

async function planned(pull: PullRequest, context: Context): ReturnType<typeof planPullRequest> {
  const { live, clock, pace, log, startedPlans, isStopped } = context;
  const failed = (title: string, details: string) =>
    failedPreview({ title, details }, { head: `Head ${pull.headCommit.slice(0, 12)}` });
  if (!startedPlans.start(pull.headCommit)) {
    const details = 'gitfleet ended each time while it planned this. It is planned again when commits are pushed.';
    return { text: failed('was interrupted twice', details), spentMs: 0, isTooCostly: true };
  }
  const began = performance.now();
  const pause = async (ms: number): Promise<void> => {
    await turn();
    if (ms >= shortestPauseMs) await sleep(pace, ms);
    if (isStopped()) throw new Error('stopped');
  };
  const input = { ...live.input, now: formatInstant(clock.now()) };
  try {
    const branches = await context.branches();
    const kept = context.pulls.map((one) => pullRef(one, context.forge.kind));
    await branches.keepOnly(new Set([branchRef(context.branch), ...kept]));
    return await planPullRequest({ ...context, pull, branches, input, pause, stopwatch: () => performance.now() });
  } catch (error) {
    if (error instanceof GitError || isStopped()) throw error;
    log.error({ err: error, pullRequest: pull.number }, 'cannot plan a pull request');
    const text = failed('cannot be planned', 'The log of the daemon has the reason.');
    return { text, spentMs: performance.now() - began, isTooCostly: false };
  } finally {
    startedPlans.end();
  }
}

/** Milliseconds. Most steps are shorter: for them it is enough that others have their turn. */
const shortestPauseMs = 25;

/** Everything that waits for its turn in this process comes first. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Nothing that git said: who can push a branch has a say in that. */
function whyOf(call: PreviewCall, error: unknown): string {
  if (call.kind === 'list') return messageOf(error);
  const { number } = call.pull;
  if (call.kind !== 'plan') return `${number}: ${messageOf(error)}`;
  return `${number}: its commits cannot be read${error instanceof GitError ? ` (${error.code})` : ''}, the log has more`;
}
