import type { CommitStatus, PullRequest } from '../../forge/forge.ts';
import {
  afterFailedCall,
  type Due,
  editEveryMs,
  type FailedCall,
  type ForgeCalls,
  firstCalls,
  lastingTrouble,
  listEveryMs,
  refusedMs,
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
  readonly status?: PreviewText['status'] & {
    readonly commit: string;
    readonly atMs: number;
    /** The forge did not accept it, so often in a row. The comment is shown all the same. */
    readonly refused?: { readonly why: string; readonly times: number } | undefined;
  };
  /** What failed, and until when this pull request is left alone. */
  readonly failed?:
    | { readonly untilMs: number; readonly why: string; readonly isReported: boolean; readonly times: number }
    | undefined;
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
  const { previews, listedMs, notBeforeMs, planNotBeforeMs, noForkStatus } = state;
  if (nowMs < notBeforeMs) return { atMs: notBeforeMs };
  if (listedMs === undefined || nowMs >= listedMs + listEveryMs) return { call: { kind: 'list' } };
  const active = [...previews.values()].filter(({ failed }) => failed === undefined || nowMs >= failed.untilMs);
  const writes = active.map((preview) =>
    writeOf(preview, { nowMs, hasStatus: !preview.pull.isFork || nowMs >= (noForkStatus?.untilMs ?? 0) }),
  );
  const write = writes.find(({ call }) => call);
  if (write) return write;
  const plans = active
    .map((preview) => ({ preview, atMs: planAtMs(preview, live) }))
    .sort((a, b) => a.atMs - b.atMs || byOrigin(a.preview.pull, b.preview.pull));
  const [first] = plans;
  if (first && nowMs >= Math.max(first.atMs, planNotBeforeMs))
    return { call: { kind: 'plan', pull: first.preview.pull } };
  const times = [
    listedMs + listEveryMs,
    ...writes.flatMap(({ atMs }) => atMs ?? []),
    ...(first ? [Math.max(first.atMs, planNotBeforeMs)] : []),
    ...[...previews.values()].flatMap(({ failed }) => (failed && nowMs < failed.untilMs ? failed.untilMs : [])),
  ];
  return { atMs: Math.min(...times) };
}

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
function writeOf(
  { pull, planned, comment, status }: Preview,
  { nowMs, hasStatus }: { readonly nowMs: number; readonly hasStatus: boolean },
): Due<PreviewCall> {
  if (planned?.head !== pull.headCommit)
    return !hasStatus || status?.commit === pull.headCommit ? {} : { call: { kind: 'status', pull, status: planning } };
  const { text } = planned;
  const due: Due<PreviewCall>[] = [];
  if (hasStatus && (status?.commit !== pull.headCommit || status.refused || !sameStatus(status, text.status))) {
    const isFirst = status?.commit !== pull.headCommit || status.state === 'pending';
    const mayMs = isFirst ? 0 : status.atMs + (status.refused ? retryMs(status.refused.times) : editEveryMs);
    due.push(nowMs < mayMs ? { atMs: mayMs } : { call: { kind: 'status', pull, status: text.status } });
  }
  const isAwaited = !text.isEmpty || comment?.body !== undefined || !isApproval(pull);
  if (isAwaited && !saysTheSame(comment?.body, text.body)) {
    const mayMs = comment === undefined ? 0 : comment.editedMs + editEveryMs;
    due.push(nowMs < mayMs ? { atMs: mayMs } : { call: { kind: 'comment', pull, body: text.body } });
  }
  return due.find(({ call }) => call) ?? due.sort((a, b) => a.atMs! - b.atMs!)[0] ?? {};
}

const retryMs = (times: number): number => Math.min(refusedMs * 2 ** (times - 1), longestRefusedMs);

/** The text of an approval says what merging it does. It gets a comment only if it does more than that. */
const isApproval = ({ head, isFork }: PullRequest): boolean => head.startsWith('gitfleet/approve/') && !isFork;

export const sameStatus = (
  a: Pick<CommitStatus, 'state' | 'description'>,
  b: Pick<CommitStatus, 'state' | 'description'>,
): boolean => a.state === b.state && a.description === b.description;

export function afterPreviewEvent(state: PreviewState, event: PreviewEvent, nowMs: number): PreviewState {
  switch (event.kind) {
    case 'listed': {
      const previews = event.pulls.map((pull): [number, Preview] => {
        const before = state.previews.get(pull.number);
        const isSame = before?.pull.headCommit === pull.headCommit;
        // A push may have ended what failed.
        return [pull.number, { ...before, pull, ...(isSame ? {} : { failed: undefined }) }];
      });
      return succeeded({ ...state, previews: new Map(previews), listedMs: nowMs });
    }
    case 'planned': {
      const { of, text, pull, spentMs, isTooCostly } = event;
      const waitMs = spentMs > longPlanMs ? spentMs * 4 : 0;
      // The same object where nothing changed, as it would be written again.
      const was = state.previews.get(pull.number)?.planned?.text.full;
      const kept = was !== undefined && saysTheSame(was, text.full) ? { ...text, full: was } : text;
      const planned = { head: pull.headCommit, of, atMs: nowMs, text: kept, isTooCostly };
      return { ...known(state, pull, { planned, failed: undefined }), planNotBeforeMs: nowMs + waitMs };
    }
    case 'commented': {
      const { body, editedMs, pull } = event;
      return succeeded(known(state, pull, { comment: { body, editedMs }, failed: undefined }));
    }
    case 'statusSet': {
      const status = { ...event.status, commit: event.pull.headCommit, atMs: nowMs };
      return succeeded(known(state, event.pull, { status }));
    }
    case 'failed':
      return afterFailure(state, event, nowMs);
  }
}

function known(state: PreviewState, { number }: PullRequest, more: Partial<Preview>): PreviewState {
  const before = state.previews.get(number);
  // It may have been closed meanwhile.
  if (before === undefined) return state;
  return { ...state, previews: new Map(state.previews).set(number, { ...before, ...more }) };
}

function afterFailure(state: PreviewState, failed: FailedCall<PreviewCall>, nowMs: number): PreviewState {
  const { call, code, why } = failed;
  // What cannot be read must not keep the others waiting.
  if (call.kind === 'plan' || (call.kind !== 'list' && code !== 'unreachable' && code !== 'limited')) {
    if (call.kind !== 'status') {
      const times = (state.previews.get(call.pull.number)?.failed?.times ?? 0) + 1;
      // A branch may have moved while it was fetched, or the git server restarts.
      const isFirst = call.kind === 'plan' && times === 1;
      const untilMs = nowMs + (isFirst ? listEveryMs : refusedMs);
      return known(state, call.pull, { failed: { untilMs, why, isReported: !isFirst, times } });
    }
    if (call.pull.isFork) return { ...state, noForkStatus: { why, untilMs: nowMs + longestRefusedMs } };
    const { headCommit: commit, number } = call.pull;
    const before = state.previews.get(number)?.status;
    const times = 1 + (before?.commit === commit ? (before.refused?.times ?? 0) : 0);
    return known(state, call.pull, { status: { ...call.status, commit, atMs: nowMs, refused: { why, times } } });
  }
  return afterFailedCall(state, failed, nowMs);
}

/** Pull requests whose trouble is named: a problem of the fleet must not disappear among them. */
const mostTroubles = 3;

/** Why previews are not shown, if that lasts or an operator must act: what concerns all, then one for each pull request. */
export function previewTroubles(state: PreviewState, nowMs: number): string[] {
  const ofOne = [...state.previews.values()].flatMap(({ failed, status }) => {
    const why = failed?.isReported ? failed.why : status?.refused?.why;
    return why === undefined ? [] : [why];
  });
  const left = ofOne.length - mostTroubles;
  return [
    ...lastingTrouble(state, nowMs),
    ...ofOne.slice(0, mostTroubles),
    ...(left > 0 ? [`${left} more pull requests have such problems`] : []),
  ];
}
