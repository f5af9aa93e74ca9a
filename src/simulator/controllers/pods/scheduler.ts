import { at, fieldsAt, listAt, textAt } from '../../../engine/kernel/at.ts';
import { type Amounts, amountsOf, minus, requestsOf, sum } from '../../../engine/node-pools/resources.ts';
import type { Cluster } from '../../cluster.ts';
import { same } from '../../fields/compare.ts';
import type { Stored } from '../../object.ts';
import { isFinished } from '../../pod-phase.ts';
import { withCondition } from '../conditions.ts';
import { recordEvent } from '../events.ts';
import { dependsOnNeighbours, keepsOthersAway, type Neighbours, neighboursOf } from './neighbours.ts';
import { misfit } from './node-fit.ts';
import { claimsOf } from './pods.ts';

/**
 * Assigns pods to nodes that may run them by the rules of the engine: the least used one, ties to the first name. Ignores priorities
 * and preferences.
 */
export function runScheduler(cluster: Cluster): void {
  const used = new Map<string, Amounts>();
  const waiting = new Map<string, Stored>();
  /** Bound pods that keep others away. */
  const avoiding = new Set<string>();
  const turn = () => cluster.queue.soon('schedule', schedule);

  cluster.store.subscribe('/pods', ({ type, object, before }) => {
    const held = before && nodeOf(before);
    const holds = type === 'DELETED' ? '' : nodeOf(object);
    if (held !== holds) {
      if (held) used.set(held, minus(used.get(held) ?? none, requestsOf(before!)));
      if (holds) used.set(holds, sum([used.get(holds) ?? none, requestsOf(object)]));
      if (holds && keepsOthersAway(object)) avoiding.add(object.metadata.uid);
      else avoiding.delete(object.metadata.uid);
    }
    if (type !== 'DELETED' && isUnscheduled(object)) {
      waiting.set(object.metadata.uid, object);
      // The scheduler's own condition does not trigger it again.
      if (same(before?.['spec'], object['spec'])) return;
    } else if (!waiting.delete(object.metadata.uid) && !held) return;
    if (waiting.size > 0) turn();
  });
  for (const key of ['/nodes', '/persistentvolumeclaims']) {
    cluster.store.subscribe(key, ({ type, object, before }) => {
      if (key === '/nodes' && type === 'DELETED') used.delete(object.metadata.name);
      const matters = type === 'ADDED' || !same(before?.['spec'], object['spec']) || key === '/nodes';
      if (waiting.size > 0 && matters) turn();
    });
  }

  function schedule(): void {
    const nodes = cluster.store.list('/nodes');
    let neighbours: Neighbours | undefined;
    for (const { metadata } of [...waiting.values()]) {
      const pod = cluster.store.get('/pods', metadata);
      if (!pod || !isUnscheduled(pod)) continue;
      if (avoiding.size > 0 || dependsOnNeighbours(pod)) neighbours ??= neighboursOf(cluster);
      place(pod, nodes, neighbours);
    }
  }

  function place(pod: Stored, nodes: readonly Stored[], neighbours: Neighbours | undefined): void {
    const claim = missingClaim(cluster, pod);
    if (listAt(pod, 'spec', 'schedulingGates').length > 0)
      refuse(pod, 'SchedulingGated', 'Scheduling is blocked due to non-empty scheduling gates');
    else if (claim !== undefined) refuse(pod, 'Unschedulable', `persistentvolumeclaim "${claim}" not found`);
    else if (nodes.length === 0) refuse(pod, 'Unschedulable', 'no nodes available to schedule pods');
    else choose(pod, nodes, neighbours);
  }

  function choose(pod: Stored, nodes: readonly Stored[], neighbours: Neighbours | undefined): void {
    const asked = requestsOf(pod);
    const reasons: string[] = [];
    let best: { readonly name: string; readonly load: number } | undefined;
    for (const node of nodes) {
      const why = misfit(pod, node);
      const room = amountsOf(fieldsAt(node, 'status', 'allocatable'));
      const after = sum([used.get(node.metadata.name) ?? none, asked]);
      const short = why === undefined ? shortages(room, after, asked) : [why];
      const refusal = short.length === 0 ? neighbours?.refusal(pod, node) : undefined;
      reasons.push(...short, ...(refusal === undefined ? [] : [refusal]));
      const load = loadOf(room, after);
      if (short.length === 0 && refusal === undefined && (!best || load < best.load))
        best = { name: node.metadata.name, load };
    }
    if (best) {
      neighbours?.bind(pod, best.name);
      bind(pod, best.name);
    } else refuse(pod, 'Unschedulable', `0/${nodes.length} nodes are available: ${counted(reasons)}.`);
  }

  function bind(pod: Stored, nodeName: string): void {
    const spec = { ...fieldsAt(pod, 'spec'), nodeName };
    const conditions = withCondition(cluster, pod, { type: 'PodScheduled', status: 'True' });
    // A condition that becomes True loses its reason and message.
    const plain = conditions.map((item) => {
      if (textAt(item, 'type') !== 'PodScheduled') return item;
      const { reason: _r, message: _m, ...rest } = item as Record<string, unknown>;
      return rest;
    });
    const status = { ...fieldsAt(pod, 'status'), conditions: plain };
    cluster.store.put('/pods', { ...pod, spec, status });
    const message = `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${nodeName}`;
    recordEvent(cluster, pod, { type: 'Normal', reason: 'Scheduled', message, from: 'default-scheduler' });
  }

  function refuse(pod: Stored, reason: string, message: string): void {
    const conditions = withCondition(cluster, pod, { type: 'PodScheduled', status: 'False', reason, message });
    const status = { ...fieldsAt(pod, 'status'), phase: 'Pending', conditions };
    if (same(status, pod['status'])) return;
    cluster.store.put('/pods', { ...pod, status });
    recordEvent(cluster, pod, { type: 'Warning', reason: 'FailedScheduling', message, from: 'default-scheduler' });
  }
}

function missingClaim({ store }: Cluster, pod: Stored): string | undefined {
  const { namespace } = pod.metadata;
  return claimsOf(pod).find((name) => !store.get('/persistentvolumeclaims', { name, namespace }));
}

const none: Amounts = new Map();

const nodeOf = (pod: Stored): string => (isFinished(pod) ? '' : textAt(pod, 'spec', 'nodeName'));

const isUnscheduled = (pod: Stored): boolean =>
  at(pod, 'spec', 'nodeName') === undefined &&
  pod.metadata.deletionTimestamp === undefined &&
  textAt(pod, 'spec', 'schedulerName') === 'default-scheduler';

/** Resources that a node lacks; only requested ones count. */
const shortages = (room: Amounts, after: Amounts, asked: Amounts): string[] =>
  [...asked]
    .filter(([name, amount]) => amount > 0 && after.get(name)! > (room.get(name) ?? 0))
    .map(([name]) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`));

/** Used part of cpu, memory and places for pods, from 0 to 3. */
const loadOf = (room: Amounts, after: Amounts): number =>
  ['cpu', 'memory', 'pods'].reduce((load, name) => load + (after.get(name) ?? 0) / Math.max(1, room.get(name) ?? 0), 0);

/** `2 Insufficient cpu, 1 node(s) were unschedulable`, sorted as text, as the scheduler does. */
function counted(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
