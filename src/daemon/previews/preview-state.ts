import type { CommitStatus, PullRequest } from '../../forge/forge.ts';
import {
  afterFailedCall,
  type Due,
  editEveryMs,
  type FailedCall,
  type ForgeCalls,
  firstCalls,
  isTrouble,
  listEveryMs,
  listing,
  type Need,
  onlyFailures,
  refusedMs,
  retryMs,
  succeeded,
} from '../requests/forge-calls.ts';
import { type PreviewText, planning, saysTheSame } from './preview-text.ts';

/** What previews need besides the pull requests: the last reconciliation. */
export interface LiveFleet {
  /** Of the followed branch. */
  readonly commit: string;
  /** Of its plan: the same as long as the plan wants the same. */
  readonly digest: string;
}

/** One open pull request, and what is known of its preview. */
export interface Preview {
  readonly pull: PullRequest;
  readonly planned?: {
    readonly head: string;
    readonly of: LiveFleet;
    readonly atMs: number;
    readonly text: PreviewText;
    /** It is not planned again with the same head. */
    readonly isTooCostly: boolean;
  };
  /** At the forge, as far as it was looked for. */
  readonly comment?: { readonly body: string | undefined; readonly editedMs: number };
  /** As it was sent; where the forge did not take it, there is a failure. */
  readonly status?: PreviewText['status'] & { readonly commit: string; readonly atMs: number };
}

export interface PreviewState extends ForgeCalls {
  /** By number. */
  readonly previews: ReadonlyMap<number, Preview>;
  /** Before that nothing is planned: reconciliations need the processor too. */
  readonly planNotBeforeMs: number;
  /**
   * Why the forge takes no status of commits of forks, as at GitLab, where they belong to another project, and until when none is tried.
   * Undefined: it may.
   */
  readonly noForkStatus: { readonly why: string; readonly untilMs: number } | undefined;
}

export type PreviewCall =
  | { readonly kind: 'list' }
  /** `pending` does not replace a status that is there. */
  | { readonly kind: 'status'; readonly pull: PullRequest; readonly status: PreviewText['status'] }
  | { readonly kind: 'plan'; readonly pull: PullRequest }
  | { readonly kind: 'comment'; readonly pull: PullRequest; readonly body: string };

export type PreviewEvent =
  | { readonly kind: 'listed'; readonly pulls: readonly PullRequest[] }
  | {
      readonly kind: 'planned';
      readonly pull: PullRequest;
      readonly of: LiveFleet;
      readonly text: PreviewText;
      /** Of computing. */
      readonly spentMs: number;
      readonly isTooCostly: boolean;
    }
  | { readonly kind: 'commented'; readonly pull: PullRequest; readonly body: string; readonly editedMs: number }
  | { readonly kind: 'statusSet'; readonly pull: PullRequest; readonly status: PreviewText['status'] }
  /** The forge or the repository cannot be used; or only this call failed. */
  | FailedCall<PreviewCall>;

/** Milliseconds. The plan of the fleet changed: during a rollout it does with every cluster, and the end of it changes rarely. */
const planAgainMs = 5 * 60_000;
/** Nothing that the plan wants changed, but clusters may have. */
const longestAgeMs = 60 * 60_000;
/** One that took too long is not planned again sooner, whatever is pushed. */
const tooCostlyMs = 10 * 60_000;
/** What the forge refuses again and again is tried so often at least: a right may be given, or a conflict end. */
const longestRefusedMs = 60 * 60_000;
/** Planning that takes longer than this waits four times as long until the next one. */
const longPlanMs = 250;

export const firstPreviewState: PreviewState = {
  previews: new Map(),
  ...firstCalls,
  planNotBeforeMs: 0,
  noForkStatus: undefined,
};

/** What to do now, else when to look again. */
export function nextPreviewCall(state: PreviewState, live: LiveFleet, nowMs: number): Due<PreviewCall> {
  const { previews, listedMs, notBeforeMs, planNotBeforeMs } = state;
  if (nowMs < notBeforeMs) return { atMs: notBeforeMs };
  if (listedMs === undefined || nowMs >= listedMs + listEveryMs) {
    const atMs = retryMs(state, listing);
    return nowMs < atMs ? { atMs } : { call: { kind: 'list' } };
  }
  const writes = [...previews.values()].flatMap((preview) => writesOf(preview, state, nowMs));
  const write = writes.find(({ atMs }) => atMs <= nowMs);
  if (write) return { call: write.call };
  const plans = [...previews.values()]
    .map((preview) => ({
      preview,
      atMs: Math.max(planAtMs(preview, live), retryMs(state, `plan ${preview.pull.number}`)),
    }))
    .sort((a, b) => a.atMs - b.atMs || byOrigin(a.preview.pull, b.preview.pull));
  const [first] = plans;
  if (first && nowMs >= Math.max(first.atMs, planNotBeforeMs))
    return { call: { kind: 'plan', pull: first.preview.pull } };
  const times = [...writes.map(({ atMs }) => atMs), ...(first ? [Math.max(first.atMs, planNotBeforeMs)] : [])];
  return { atMs: Math.min(listedMs + listEveryMs, ...times) };
}

/** What a call is for: its failures count together with those of calls for the same. */
const nameOf = (call: PreviewCall): string => (call.kind === 'list' ? listing : `${call.kind} ${call.pull.number}`);

/** Branches of this repository before those of forks. */
export const byOrigin = (a: PullRequest, b: PullRequest): number =>
  Number(a.isFork) - Number(b.isFork) || a.number - b.number;

/** Those without any preview come first; of those that got commits the one whose last preview is oldest. */
function planAtMs({ pull, planned }: Preview, live: LiveFleet): number {
  if (planned === undefined) return 0;
  const isNew = planned.head !== pull.headCommit;
  if (planned.isTooCostly) return isNew ? planned.atMs + tooCostlyMs : Number.POSITIVE_INFINITY;
  if (isNew) return planned.atMs;
  if (planned.of.commit !== live.commit) return planned.atMs + editEveryMs;
  return planned.atMs + (planned.of.digest === live.digest ? longestAgeMs : planAgainMs);
}

/** What the forge should show and does not. */
function writesOf(preview: Preview, state: PreviewState, nowMs: number): Need<PreviewCall>[] {
  const { pull, planned, comment, status } = preview;
  const statusRetryMs = retryMs(state, `status ${pull.number}`);
  const hasStatus = !pull.isFork || nowMs >= (state.noForkStatus?.untilMs ?? 0);
  const isFirst = status?.commit !== pull.headCommit;
  const hasFailed = state.failures.has(`status ${pull.number}`);
  if (planned?.head !== pull.headCommit)
    return hasStatus && (isFirst || hasFailed)
      ? [{ call: { kind: 'status', pull, status: planning }, atMs: statusRetryMs }]
      : [];
  const { text } = planned;
  const needs: Need<PreviewCall>[] = [];
  if (hasStatus && (isFirst || hasFailed || !sameStatus(status, text.status))) {
    const atMs = isFirst || status.state === 'pending' ? 0 : hasFailed ? statusRetryMs : status.atMs + editEveryMs;
    needs.push({ call: { kind: 'status', pull, status: text.status }, atMs });
  }
  const isAwaited = !text.isEmpty || comment?.body !== undefined || !isApproval(pull);
  if (isAwaited && !saysTheSame(comment?.body, text.body)) {
    const mayMs = comment === undefined ? 0 : comment.editedMs + editEveryMs;
    const atMs = Math.max(mayMs, retryMs(state, `comment ${pull.number}`));
    needs.push({ call: { kind: 'comment', pull, body: text.body }, atMs });
  }
  return needs;
}

/** The text of an approval says what merging it does. It gets a comment only if it does more than that. */
const isApproval = ({ head, isFork }: PullRequest): boolean => head.startsWith('gitfleet/approve/') && !isFork;

export const sameStatus = (
  a: Pick<CommitStatus, 'state' | 'description'>,
  b: Pick<CommitStatus, 'state' | 'description'>,
): boolean => a.state === b.state && a.description === b.description;

export const afterPreviewEvent = (state: PreviewState, event: PreviewEvent, nowMs: number): PreviewState =>
  ofNeeded(changedBy(event, state, nowMs), nowMs);

function changedBy(event: PreviewEvent, state: PreviewState, nowMs: number): PreviewState {
  switch (event.kind) {
    case 'listed': {
      const previews = event.pulls.map((pull): [number, Preview] => [
        pull.number,
        { ...state.previews.get(pull.number), pull },
      ]);
      // A push may have ended what failed.
      const moved = event.pulls.filter(
        ({ number, headCommit }) => state.previews.get(number)?.pull.headCommit !== headCommit,
      );
      const ended = new Set(moved.flatMap(({ number }) => [`plan ${number}`, `status ${number}`, `comment ${number}`]));
      const listed = onlyFailures(state, (name) => name !== listing && !ended.has(name));
      return { ...listed, previews: new Map(previews), listedMs: nowMs };
    }
    case 'planned': {
      const { of, text, pull, spentMs, isTooCostly } = event;
      const waitMs = spentMs > longPlanMs ? spentMs * 4 : 0;
      // The same object where nothing changed, as it would be written again.
      const was = state.previews.get(pull.number)?.planned?.text.full;
      const kept = was !== undefined && saysTheSame(was, text.full) ? { ...text, full: was } : text;
      const planned = { head: pull.headCommit, of, atMs: nowMs, text: kept, isTooCostly };
      return { ...succeeded(known(state, pull, { planned }), `plan ${pull.number}`), planNotBeforeMs: nowMs + waitMs };
    }
    case 'commented': {
      const { body, editedMs, pull } = event;
      return succeeded(known(state, pull, { comment: { body, editedMs } }), `comment ${pull.number}`);
    }
    case 'statusSet': {
      const status = { ...event.status, commit: event.pull.headCommit, atMs: nowMs };
      return succeeded(known(state, event.pull, { status }), `status ${event.pull.number}`);
    }
    case 'failed':
      return afterFailure(state, event, nowMs);
  }
}

/** Without failures of what is no longer to be done. */
function ofNeeded(state: PreviewState, nowMs: number): PreviewState {
  if (state.failures.size === 0) return state;
  const names = new Set([listing]);
  for (const preview of state.previews.values()) {
    names.add(`plan ${preview.pull.number}`);
    for (const { call } of writesOf(preview, state, nowMs)) names.add(nameOf(call));
  }
  return onlyFailures(state, (name) => names.has(name));
}

function known(state: PreviewState, { number }: PullRequest, more: Partial<Preview>): PreviewState {
  const before = state.previews.get(number);
  // It may have been closed meanwhile.
  if (before === undefined) return state;
  return { ...state, previews: new Map(state.previews).set(number, { ...before, ...more }) };
}

function afterFailure(state: PreviewState, failed: FailedCall<PreviewCall>, nowMs: number): PreviewState {
  const { call, code, why } = failed;
  const isRefused = code !== 'unreachable' && code !== 'limited';
  if (call.kind === 'status' && isRefused && call.pull.isFork)
    return { ...state, noForkStatus: { why, untilMs: nowMs + longestRefusedMs } };
  const waitMs = waitAfter(call, isRefused);
  const later = afterFailedCall(state, { ...failed, name: nameOf(call) }, { nowMs, ...(waitMs && { waitMs }) });
  if (call.kind !== 'status') return later;
  return known(later, call.pull, { status: { ...call.status, commit: call.pull.headCommit, atMs: nowMs } });
}

/** Milliseconds after so many failures; undefined: as of any call. */
function waitAfter({ kind }: PreviewCall, isRefused: boolean): ((times: number) => number) | undefined {
  // A branch may have moved while it was fetched, or the git server restarts.
  if (kind === 'plan') return (times) => (times === 1 ? listEveryMs : refusedMs);
  if (kind === 'list' || !isRefused) return undefined;
  return kind === 'comment' ? () => refusedMs : (times) => Math.min(refusedMs * 2 ** (times - 1), longestRefusedMs);
}

/** Pull requests whose trouble is named: a problem of the fleet must not disappear among them. */
const mostTroubles = 3;

/** Why previews are not shown, if that lasts or an operator must act: what concerns all, then one for each pull request. */
export function previewTroubles({ previews, failures }: PreviewState, nowMs: number): string[] {
  const troubleOf = (name: string): string[] => {
    const failure = failures.get(name);
    return failure && isTrouble(failure, nowMs) ? [failure.why] : [];
  };
  const ofOne = [...previews.keys()].flatMap((number) =>
    ['plan', 'comment', 'status'].flatMap((kind) => troubleOf(`${kind} ${number}`)).slice(0, 1),
  );
  const left = ofOne.length - mostTroubles;
  return [
    ...troubleOf(listing),
    ...ofOne.slice(0, mostTroubles),
    ...(left > 0 ? [`${left} more pull requests have such problems`] : []),
  ];
}
