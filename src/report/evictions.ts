import type { ClusterName } from '../api/meta.ts';
import { evictionResult } from '../engine/evict/result.ts';
import type { EventSource } from './event-source.ts';

/** Each eviction has one result, and keeps it. */
interface EvictionEnded {
  readonly kind: 'eviction-ended';
  readonly name: string;
  readonly placement: string;
  readonly cluster: ClusterName;
  readonly result: NonNullable<ReturnType<typeof evictionResult>>;
}

export const evictions: EventSource<EvictionEnded> = {
  events: ({ before, plan }) =>
    plan.evictions.flatMap(({ name, placementName: placement, clusterName: cluster, status }): EvictionEnded[] => {
      const result = evictionResult(status.conditions);
      if (result === undefined || evictionResult(before.evictions.get(name)?.status?.conditions)) return [];
      return [{ kind: 'eviction-ended', name, placement, cluster, result }];
    }),
  sentences: (events) => events.map(({ name, result }) => `${name}: ${result.text}`),
  entries: ({ name, placement, cluster, result }) => [
    {
      tone: result.executed ? 'good' : 'bad',
      subject: name,
      text: `${result.executed ? '✓' : '✗'} eviction of ${placement} from ${cluster} ${result.text}`,
    },
  ],
};
