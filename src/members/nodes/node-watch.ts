import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { BeyondLimit } from '../api-server/api-error.ts';
import type { SharedLimits } from '../api-server/shared-limits.ts';
import type { Connection } from '../connection.ts';
import { keptBytes } from '../watch/kept-bytes.ts';
import { type NodeLists, nodeLists } from './node-lists.ts';
import { type PodEvents, podEvents } from './pod-events.ts';
import type { WatchedKind } from './watched-kinds.ts';

/** Nodes, pods and what belongs to them on one member, watched while something needs them. */
export interface NodeWatch {
  /** Whether the annotation or a placed NodePool needs it: watches while one of them does. */
  need(why: 'annotation' | 'pools', isNeeded: boolean): void;
  /** Undefined while nothing needs it. The same value as long as nothing changed. */
  observation(): NodeObservation | undefined;
  /** Instant up to which it is current, milliseconds; Infinity when nothing is watched. */
  asOf(): number;
  /** After a probe: looks for kinds that were not served before, and starts again some time after a refusal. */
  look(): void;
  /** Drops everything and reads it again. */
  restart(): void;
  /** False until every list has had a response. */
  idle(): boolean;
}

/** `nodes` and `pods` are there when both lists and all others that are needed are. */
export type NodeObservation = Pick<ClusterObservation, 'nodes' | 'pods' | 'extras' | 'podEvents' | 'notListed'>;

/** A member whose nodes took too much memory is read again after this time, milliseconds. */
const refusalMs = 600_000;

export function nodeWatch(input: {
  readonly name: ClusterName;
  readonly connection: Connection;
  readonly pollMs: number | undefined;
  readonly shared: SharedLimits;
  readonly life: AbortSignal;
  /** What is observed changed; with a message when someone must act. */
  readonly changed: (message?: string) => void;
}): NodeWatch {
  const { connection, shared, life } = input;
  const { clock } = connection;
  const reports = gathered(clock, () => input.changed());
  let running: { readonly lists: NodeLists; readonly end: () => void } | undefined;
  let refusal: { readonly message: string; readonly at: number } | undefined;
  const needs = new Set<string>();
  let events = podEvents();
  let cached: NodeObservation | undefined;

  function turned(message?: string): void {
    cached = undefined;
    if (message === undefined) reports.soon({ isUrgent: true });
    else input.changed(message);
  }

  function start(): void {
    const part = new AbortController();
    const kept = keptBytes(input.name, {
      shared,
      life: AbortSignal.any([life, part.signal]),
      refused: refuse,
      most: { bytes: shared.limits.nodeBytes, apart: () => 0, excess: ' with nodes, pods and what belongs to them' },
    });
    const changed = (of: Pick<WatchedKind, 'isUrgent' | 'isPlannedWith'>, gone?: Manifest): void => {
      if (gone?.kind === 'Pod') events.gone(gone);
      cached = undefined;
      if (of.isPlannedWith) reports.soon(of);
    };
    const lists = nodeLists({ connection, kept, pollMs: input.pollMs, changed, turned });
    running = {
      lists,
      end() {
        lists.stop();
        part.abort();
      },
    };
  }

  function stop(): void {
    running?.end();
    running = undefined;
    events = podEvents();
    cached = undefined;
  }

  function refuse(error: BeyondLimit): void {
    if (refusal) return;
    refusal = { message: error.message, at: clock.now() };
    stop();
    turned(error.message);
  }

  life.addEventListener(
    'abort',
    () => {
      reports.end();
      stop();
    },
    { once: true },
  );
  return {
    need(why, isNeeded) {
      const before = needs.size > 0;
      if (isNeeded) needs.add(why);
      else needs.delete(why);
      if (needs.size > 0 === before) return;
      refusal = undefined;
      if (needs.size > 0) start();
      else stop();
      turned();
    },
    observation() {
      if (needs.size > 0) cached ??= refusal ? unknown([refusal.message]) : observed(running?.lists, events);
      return cached;
    },
    asOf: () => running?.lists.asOf() ?? Number.POSITIVE_INFINITY,
    look() {
      if (refusal && clock.now() - refusal.at >= refusalMs) {
        refusal = undefined;
        start();
      }
      running?.lists.look();
    },
    restart() {
      if (needs.size === 0 || refusal) return;
      stop();
      start();
    },
    idle: () => running?.lists.idle() ?? true,
  };
}

const unknown = (notListed: string[]): NodeObservation => ({ extras: [], notListed });

function observed(lists: NodeLists | undefined, events: PodEvents): NodeObservation {
  if (!lists) return unknown([]);
  const faults = lists.faults();
  const isKnown = faults.every(({ of }) => !of.isNeeded);
  const [nodes, pods] = [lists.listed('Node'), lists.listed('Pod')];
  return {
    ...(isKnown ? { nodes, pods, podEvents: events.of(pods, nodes) } : {}),
    extras: lists.others(),
    ...(faults.length > 0 ? { notListed: faults.map(({ of, fault }) => `${of.kind}: ${fault}`) } : {}),
  };
}

/** Changes are reported together after this time, milliseconds: of pods as often as Karpenter looks for work, of nodes sooner. */
const reportMs = { urgent: 500, usual: 10_000 };

function gathered(clock: Connection['clock'], report: () => void) {
  let due: { readonly isUrgent: boolean; readonly cancel: () => void } | undefined;
  let isOver = false;
  return {
    end(): void {
      isOver = true;
      due?.cancel();
    },
    soon({ isUrgent }: { readonly isUrgent: boolean }): void {
      if (isOver || (due && (due.isUrgent || !isUrgent))) return;
      due?.cancel();
      const run = (): void => {
        due = undefined;
        report();
      };
      due = { isUrgent, cancel: clock.after(isUrgent ? reportMs.urgent : reportMs.usual, run) };
    },
  };
}
