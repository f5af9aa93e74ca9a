import { messageOf } from '../../api/message-of.ts';
import type { Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { isBlockingBudget } from '../../engine/upgrade/blocking-budget.ts';
import type { Actor, ActorInput, ActorObservation } from '../actor.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { PreflightAssignment } from '../assignment.ts';
import { sleep } from '../clock.ts';
import { readRequestedApis } from './requested-apis.ts';

type Preflight = NonNullable<ClusterObservation['preflight']>;
type Finding = Preflight['findings'][number];

/** Between two reads, while a plan waits for what blocks the upgrade to end; and after no response. Milliseconds. */
const [againMs, retryMs] = [60_000, 5_000];
/** Reads without a response, after which the upgrade starts without. Whether the member responds at all, its heartbeat decides. */
const mostMisses = 3;
/** Of budgets that block. Messages name a few. */
const mostBudgets = 100;

/** Asks the API server of a member what stands against an upgrade, as long as a plan would start one. Changes nothing. */
export function preflightActor(
  { connection, nodes, changed }: Pick<ActorInput, 'connection' | 'nodes' | 'changed'>,
  target: Actor<PreflightAssignment>['target'],
): Actor<PreflightAssignment> {
  const { client, clock, contact } = connection;
  const life = new AbortController();
  const { signal } = life;
  let wake = new AbortController();
  let found: ActorObservation = {};
  let misses = 0;
  let isFollowing = false;

  /** What it reads; a warning in place of what cannot be read. Rejects when no response comes, and that may pass. */
  async function attempt<T>(read: () => Promise<T>, none: T, reason: Finding['reason']) {
    try {
      return { value: await read(), findings: [] };
    } catch (error) {
      const isAnswer = error instanceof ApiError && !error.transient;
      if (!isAnswer && misses + 1 < mostMisses) throw error;
      return { value: none, findings: [{ reason, severity: 'Warning' as const, message: messageOf(error) }] };
    }
  }

  async function look(): Promise<ActorObservation> {
    const apis = await attempt(() => readRequestedApis(client), [], 'ApiBreakingChange');
    // Where nodes are watched, their budgets are among what is observed.
    const isKnown = nodes.observation()?.nodes !== undefined;
    const budgets = await attempt(async () => (isKnown ? [] : blockingBudgets()), [], 'PDBConstraint');
    return {
      preflight: { done: true, requestedApis: apis.value, findings: [...apis.findings, ...budgets.findings] },
      extras: budgets.value,
    };
  }

  async function blockingBudgets(): Promise<Manifest[]> {
    const { items } = await client.list('/apis/policy/v1/poddisruptionbudgets', {}, { keep: budgetThatBlocks });
    return items.flatMap((budget) => budget ?? []).slice(0, mostBudgets);
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await contact.open();
      if (signal.aborted) return;
      wake = new AbortController();
      try {
        const { signal: restarted } = wake;
        const seen = await look();
        misses = 0;
        if (signal.aborted || restarted.aborted) continue;
        const isNews = JSON.stringify(seen) !== JSON.stringify(found);
        found = seen;
        if (isNews) changed();
      } catch {
        misses++;
      }
      await sleep(clock, misses > 0 ? retryMs : againMs, AbortSignal.any([signal, wake.signal]));
    }
  }

  return {
    target,
    assign() {
      if (isFollowing) return false;
      isFollowing = true;
      void follow();
      return true;
    },
    undo: () => undefined,
    objects: () => [],
    objectChanged() {},
    serves() {},
    restart() {
      found = {};
      wake.abort();
    },
    observation: () => found,
    complete: () => true,
    idle: () => found.preflight !== undefined,
    stop: () => life.abort(),
  };
}

function budgetThatBlocks(budget: Manifest): Manifest | undefined {
  if (!isBlockingBudget(budget)) return undefined;
  const { apiVersion, kind, metadata, status } = budget;
  const { name, namespace } = metadata;
  const { disruptionsAllowed, expectedPods } = status as Readonly<Record<string, unknown>>;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    status: { disruptionsAllowed, expectedPods },
  };
}
