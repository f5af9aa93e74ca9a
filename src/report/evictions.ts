import type { ClusterName } from '../api/meta.ts';
import { evictionResult } from '../engine/evict/result.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import { recordedObjects } from '../repo/record/recorded-objects.ts';
import type { EventSource, Sentence } from './event-source.ts';
import { list, type SectionSource } from './sections/section.ts';
import { isBeingRemoved } from './tally.ts';

/** Each eviction has one result, and keeps it. */
interface EvictionEnded {
  readonly kind: 'eviction-ended';
  readonly name: string;
  readonly placement: string;
  readonly cluster: ClusterName;
  readonly result: NonNullable<ReturnType<typeof evictionResult>>;
}

const isExecuted = ({ result }: EvictionEnded): boolean => result.executed;

export const evictions: EventSource<EvictionEnded> = {
  events: ({ before, plan }) =>
    plan.evictions.flatMap(({ name, placementName: placement, clusterName: cluster, status }): EvictionEnded[] => {
      const result = evictionResult(status.conditions);
      if (result === undefined || evictionResult(before.evictions.get(name)?.status?.conditions)) return [];
      return [{ kind: 'eviction-ended', name, placement, cluster, result }];
    }),
  sentences: (events) => [
    ...events.filter((event) => !isExecuted(event)).map(({ name, result }) => `${name}: ${result.text}`),
    ...[...Map.groupBy(events.filter(isExecuted), ({ cluster }) => cluster)].map(([cluster, ofOne]): Sentence => {
      const names = ofOne.map(({ placement }) => placement);
      const counted = names.length === 1 ? names[0]! : `${names.length} placements`;
      return [`${shortList(names)} evicted from ${cluster}`, `${counted} evicted from ${cluster}`];
    }),
  ],
  leads: true,
  entries: ({ name, placement, cluster, result }) => [
    {
      tone: result.executed ? 'good' : 'bad',
      subject: name,
      text: `${result.executed ? '✓' : '✗'} eviction of ${placement} from ${cluster} ${result.text}`,
    },
  ],
};

/** Evictions that a budget blocked, as long as their files exist and the placement is where it was. */
export const notEvicted: SectionSource = ({ inEffect, fleet }) => {
  const files = new Set(fleet.evictions.map(({ metadata }) => metadata.name));
  const items = [...recordedObjects('evictions', inEffect).values()].flatMap(
    ({ value: { metadata, spec, status } }) => {
      const executed = findCondition(status?.conditions, 'Executed');
      if (executed?.status !== 'False' || !files.has(metadata.name)) return [];
      const { placementName, clusterName } = spec;
      const placement = inEffect.placements.find((it) => it.namespace === undefined && it.name === placementName);
      const stays = placement?.bindings.some((it) => it.clusterName === clusterName && !isBeingRemoved(it));
      const why = `: ${placementName} stays on ${clusterName}, since ${executed.lastTransitionTime}: ${executed.message ?? ''}`;
      return stays ? [{ line: [{ bold: metadata.name }, why] }] : [];
    },
  );
  return list('Not evicted', items, { intro: 'To retry, commit an eviction with another name.' });
};
