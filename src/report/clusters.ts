import { isCordon } from '../api/cordon-taint.ts';
import { type MemberCluster, memberAgentOf } from '../api/member-cluster.ts';
import type { ClusterName, ConditionStatus } from '../api/meta.ts';
import { conditionIs } from '../engine/kernel/condition.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import type { EventSource } from './event-source.ts';

/** Takes nothing new. */
export const isCordoned = ({ spec }: MemberCluster): boolean => spec.taints?.some(isCordon) ?? false;

/** What clusters have in common that changed in the same way. */
interface ClusterEvent {
  readonly kind: 'unhealthy' | 'healthy' | 'joined' | 'left' | 'unreachable' | 'reachable';
  readonly clusters: readonly ClusterName[];
}

const words: Readonly<Record<ClusterEvent['kind'], string>> = {
  unhealthy: 'not healthy',
  healthy: 'healthy again',
  joined: 'joined',
  left: 'left',
  unreachable: 'not responding',
  reachable: 'responding again',
};

const sentences = (events: readonly ClusterEvent[]): string[] =>
  events.map(({ kind, clusters }) => `${shortList(clusters)}: ${words[kind]}`);

const some = (events: readonly ClusterEvent[]): ClusterEvent[] => events.filter(({ clusters }) => clusters.length > 0);

export const clusters: EventSource<ClusterEvent> = {
  events({ before: { clusters: was }, after: { clusters: is } }) {
    const turned = (from: ConditionStatus, to: ConditionStatus): ClusterName[] =>
      [...is].flatMap(([name, cluster]) => {
        const old = was.get(name);
        return old !== undefined && old !== cluster && isHealthy(old, from) && isHealthy(cluster, to) ? [name] : [];
      });
    return some([
      { kind: 'unhealthy', clusters: turned('True', 'False') },
      { kind: 'healthy', clusters: turned('False', 'True') },
      { kind: 'joined', clusters: missingIn(was, is) },
      { kind: 'left', clusters: missingIn(is, was) },
    ]);
  },
  sentences,
};

const isHealthy = ({ status }: MemberCluster, value: ConditionStatus): boolean =>
  conditionIs(memberAgentOf(status)?.conditions, 'Healthy', value);

/** Whether clusters respond is observed, also where the plan is refused. */
export const connections: EventSource<ClusterEvent> = {
  events: ({ unreachable }) =>
    unreachable
      ? some([
          { kind: 'unreachable', clusters: missingIn(unreachable.before, unreachable.after) },
          { kind: 'reachable', clusters: missingIn(unreachable.after, unreachable.before) },
        ])
      : [],
  sentences,
  alsoWhenRefused: true,
};

const missingIn = (
  some: ReadonlyMap<ClusterName, unknown>,
  all: ReadonlyMap<ClusterName, unknown>,
): readonly ClusterName[] => [...all.keys()].filter((name) => !some.has(name));
