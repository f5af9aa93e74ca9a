import { shortList } from '../engine/kernel/short-list.ts';
import type { SectionRows } from '../engine/plan-document.ts';
import { approvals } from './approvals.ts';
import type { Change } from './change.ts';
import { clusters, connections } from './clusters.ts';
import type { EventSource, Sentence, SourceEntry, TimelineEntry } from './event-source.ts';
import { evictions } from './evictions.ts';
import { holds } from './holds.ts';
import { nodeEvents } from './nodes.ts';
import { placements } from './placements/placements.ts';
import { problems } from './problems.ts';
import { refusals } from './refusals.ts';
import { runs } from './runs.ts';
import { upgrades } from './upgrades/upgrades.ts';

/** Causes before effects. */
const sources = Object.values({
  refusals: source(refusals),
  evictions: source(evictions),
  placements: source(placements),
  approvals: source(approvals),
  runs: source(runs),
  upgrades: source(upgrades),
  nodes: source(nodeEvents),
  clusters: source(clusters),
  connections: source(connections),
  holds: source(holds),
  problems: source(problems),
} satisfies SectionRows<ReturnType<typeof source>>);

/** What people want to know of a plan, for the message of a status commit: `web: update eu-1 to snapshot 2`. What leads comes first. */
export const newsOf = (change: Change): readonly Sentence[] => leadingFirst(change).flatMap(({ news }) => news(change));

/** The same of everything that happens. */
export const sentencesOf = (change: Change): readonly Sentence[] =>
  leadingFirst(change).flatMap(({ sentences }) => sentences(change));

function leadingFirst(change: Change) {
  const found = sourcesOf(change);
  const leading = found.filter(({ leads }) => leads);
  return [...leading, ...found.filter(({ leads }) => !leads)];
}

/** What a plan changes, for a timeline. */
export const timelineOf = (change: Change): readonly TimelineEntry[] =>
  sourcesOf(change).flatMap(({ entries }) => entries(change));

const sourcesOf = ({ plan }: Change) =>
  plan.guard.length === 0 ? sources : sources.filter(({ alsoWhenRefused }) => alsoWhenRefused);

/** Events of one source and their texts: only together do they have one type. */
function source<E extends { readonly kind: string }>({
  events,
  sentences,
  isNews = () => true,
  leads,
  entries,
  alsoWhenRefused,
}: EventSource<E>) {
  const told = (change: Change, isTold: (event: E) => boolean) =>
    (sentences?.(events(change).filter(isTold)) ?? []).map(
      (each): Sentence => (typeof each === 'string' ? [each] : each),
    );
  return {
    leads,
    alsoWhenRefused,
    sentences: (change: Change) => told(change, () => true),
    news: (change: Change) => told(change, isNews),
    entries: (change: Change) => (entries ? sharingLines(events(change).flatMap(entries)) : []),
  };
}

/** In the place of the first of them. What goes wrong names its clusters, anything else at most two. */
function sharingLines(entries: readonly SourceEntry[]): TimelineEntry[] {
  const groups = Map.groupBy(entries, (entry) =>
    entry.cluster === undefined ? entry : `${entry.subject} ${entry.tone} ${entry.text}`,
  );
  return [...groups.values()].map(([first, ...others]) => {
    const { cluster, ...entry } = first!;
    if (cluster === undefined) return entry;
    const clusters = [cluster, ...others.map((other) => other.cluster!)];
    const isCounted = clusters.length > 2 && entry.tone !== 'bad';
    const names = isCounted ? `${clusters.length} clusters` : shortList(clusters);
    return { ...entry, text: entry.text.replace('{}', () => names) };
  });
}
