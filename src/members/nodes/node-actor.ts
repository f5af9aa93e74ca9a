import type { Actor, ActorInput } from '../actor.ts';
import { UnreachableError } from '../api-server/api-error.ts';
import type { NodesAssignment } from '../assignment.ts';
import { sleep } from '../clock.ts';
import { eachOf } from '../pool.ts';
import { afterStep, firstWorkState, type NodeWork, type NodeWorkState, nextWork } from './act/node-work.ts';
import { perform } from './act/perform.ts';

/** As often as Karpenter's queue looks; and at rest, to find a taint that was left. Milliseconds. */
const [busyMs, restMs] = [1_000, 30_000];

/** Taints, launches, drains and removes nodes of one member until they are as its assignment says. */
export function nodeActor(
  { connection, nodes, launching, changed }: Pick<ActorInput, 'connection' | 'nodes' | 'launching' | 'changed'>,
  target: Actor<NodesAssignment>['target'],
): Actor<NodesAssignment> {
  const { client, clock, contact } = connection;
  const life = new AbortController();
  let assignment: NodesAssignment | undefined;
  let state: NodeWorkState = firstWorkState;
  let isBusy = true;
  let reported: ReadonlySet<string> = new Set();
  let wake = new AbortController();

  function report(work: Pick<NodeWork, 'held'>): void {
    for (const fault of work.held) if (!reported.has(fault)) changed(fault);
    reported = new Set(work.held);
  }

  /** Returns whether there is more to do. */
  async function round(): Promise<boolean> {
    await contact.open();
    if (isBusy) await launching.read();
    const seen = nodes.observation();
    if (life.signal.aborted || !assignment || seen?.nodes === undefined || seen.pods === undefined) return true;
    const { wanted } = assignment;
    const { launches } = launching.observation();
    const work = nextWork(state, {
      wanted,
      seen: { nodes: seen.nodes, pods: seen.pods, extras: seen.extras, launches },
      now: clock.now(),
    });
    state = work.state;
    report(work);
    await eachOf(work.steps, client.concurrency, async (step) => {
      const isWanted = (): boolean => !life.signal.aborted && assignment?.wanted === wanted;
      if (!isWanted()) return;
      const outcome = await perform(step, { client, launcher: launching.launcher(), isWanted });
      if (isWanted()) state = afterStep(state, { step, outcome, now: clock.now() });
    });
    return work.isBusy;
  }

  async function run(): Promise<void> {
    while (!life.signal.aborted) {
      wake = new AbortController();
      try {
        isBusy = await round();
      } catch (error) {
        // The contact of the member finds out, and the next round waits for it.
        if (!(error instanceof Error)) throw error;
        isBusy = true;
        if (error instanceof UnreachableError) contact.doubt();
        else report({ held: [error.message] });
      }
      await sleep(clock, isBusy ? busyMs : restMs, AbortSignal.any([wake.signal, life.signal]));
    }
  }

  return {
    target,
    assign(next) {
      const isFirst = assignment === undefined;
      if (!isFirst && JSON.stringify(assignment?.wanted) === JSON.stringify(next.wanted)) return false;
      assignment = next;
      if (isFirst) void run();
      else wake.abort();
      return true;
    },
    undo: () => undefined,
    objects: () => [],
    objectChanged() {},
    serves() {},
    restart() {
      state = firstWorkState;
    },
    observation: () => ({}),
    complete: () => true,
    idle: () => true,
    stop: () => life.abort(),
  };
}
