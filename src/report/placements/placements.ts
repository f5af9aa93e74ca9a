import { placementKey } from '../../api/placement.ts';
import { reportedDifferences } from '../../engine/bindings/conditions/reported-differences.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { EventSource, TimelineEntry } from '../event-source.ts';
import { countText, explainCommand, shortageText } from '../shortage.ts';
import { suspendedText } from '../suspensions.ts';
import { isAllRepaired, type NewDifference } from './new-differences.ts';
import type { BindingEvent, PlacementEvent } from './placement-event.ts';
import { placementEvents } from './placement-events.ts';

export const placements: EventSource<PlacementEvent> = {
  events: placementEvents,
  sentences(events) {
    const groups = [...Map.groupBy(events, ({ placement }) => placementKey(placement)).values()];
    const sentence = (ofOne: readonly PlacementEvent[]) => (clause: string) =>
      `${titleOf(ofOne[0]!.placement)}: ${clause}`;
    return [
      ...groups.flatMap((ofOne) => ofOne.flatMap(shortageClause).map(sentence(ofOne))),
      ...groups.flatMap((ofOne) => clausesOf(ofOne.filter((event) => 'cluster' in event)).map(sentence(ofOne))),
    ];
  },
  entries: (event) => {
    const entry = entryOf(event);
    return entry ? [{ subject: titleOf(event.placement), ...entry }] : [];
  },
};

function shortageClause(event: PlacementEvent): string[] {
  if (event.kind === 'not-enough-clusters') return [`only ${countText(event.shortage)}`];
  return event.kind === 'enough-clusters' ? ['enough clusters again'] : [];
}

/** In the order in which they are named. */
const moveKinds = ['installing', 'updating', 'removing'] as const satisfies readonly BindingEvent['kind'][];

/** While anything moves, only moves; otherwise the most important that became of each cluster, once for all that share it. */
function clausesOf(events: readonly BindingEvent[]): string[] {
  const moves = moveKinds.flatMap((kind) => {
    const mine = events.filter((event) => event.kind === kind);
    return mine.length === 0 ? [] : [`${verbOf(mine[0]!)} ${shortList(mine.map(({ cluster }) => cluster))}`];
  });
  const rest = events.filter(({ kind }) => !moveKinds.some((move) => move === kind));
  const { gone = [], outcomes = [] } = Object.groupBy(rest, ({ kind }) => (kind === 'gone' ? 'gone' : 'outcomes'));
  const isDeleted = events.some((event) => event.kind === 'removing' && event.isDeleted);
  if (moves.length > 0 && !isDeleted) return [moves.join(', ')];
  return [...moves, ...shared(outcomes), ...shared(gone)];
}

const verbOf = (event: BindingEvent): string => {
  if (event.kind === 'installing') return 'install on';
  if (event.kind === 'updating') return 'update';
  return event.kind === 'removing' && event.isDeleted ? 'deleted, remove from' : 'remove from';
};

/** `available on eu-1, us-1`: of each cluster the first event that has a clause. */
function shared(events: readonly BindingEvent[]): string[] {
  const clauses = new Map<string, string>();
  for (const event of events) {
    const clause = clauses.has(event.cluster) ? undefined : clauseOf(event);
    if (clause !== undefined) clauses.set(event.cluster, clause);
  }
  const groups = Map.groupBy(clauses.keys(), (cluster) => clauses.get(cluster)!);
  return [...groups].map(([clause, clusters]) => clause.replace('{}', () => shortList(clusters)));
}

function clauseOf(event: BindingEvent): string | undefined {
  switch (event.kind) {
    case 'installing':
    case 'updating':
    case 'removing':
      return undefined;
    case 'gone':
      return { removed: 'removed from {}', left: 'released on {}', abandoned: 'deleted, released on {}' }[event.how];
    case 'drifted':
      return `drift on {}: ${namesOf(event.objects)}`;
    case 'differs':
      return `differs on {}: ${namesOf(event.objects)}`;
    case 'failed':
      return event.objects.length > 0 ? `failed on {}: ${namesOf(event.objects)}` : undefined;
    case 'drift-over':
      return 'no drift on {}';
    case 'difference-over':
      return 'no longer differs on {}';
    case 'not-available':
      return 'not available on {}';
    case 'available':
    case 'compared':
    case 'applied':
      return `${event.kind} on {}`;
    default:
      return assertNever(event);
  }
}

const namesOf = (objects: readonly NewDifference[]): string =>
  shortList(objects.map(({ object, details }) => reportedDifferences(object, details)));

type Entry = Omit<TimelineEntry, 'subject'> | undefined;

function entryOf(event: PlacementEvent): Entry {
  switch (event.kind) {
    case 'picked': {
      const names = event.decisions.map(({ clusterName, clusterScore: score }) =>
        score && (score.affinityScore !== 0 || score.topologySpreadScore !== 0)
          ? `${clusterName} (affinity ${score.affinityScore}, spread ${score.topologySpreadScore})`
          : clusterName,
      );
      return { tone: 'decided', text: `picked ${names.join(', ')}` };
    }
    case 'no-longer-picked':
      return { tone: 'decided', text: `no longer picks ${event.clusters.join(', ')}` };
    case 'not-enough-clusters': {
      const { shortage } = event;
      return { tone: 'bad', text: `only ${shortageText(shortage)} (${explainCommand(shortage)})` };
    }
    case 'enough-clusters':
      return { tone: 'good', text: '✓ enough clusters again' };
    case 'snapshot-taken':
      return { tone: 'decided', text: `snapshot ${event.snapshot} of its resources` };
    case 'suspended':
      return { tone: 'waiting', text: `${suspendedText(event.why)}: its rollout waits until it is resumed` };
    case 'resumed':
      return { tone: 'decided', text: 'resumed' };
    case 'deleted':
      return { tone: 'decided', text: 'deleted' };
    default:
      return entryOnCluster(event, event.cluster);
  }
}

function entryOnCluster(event: BindingEvent, at: string): Entry {
  switch (event.kind) {
    case 'installing':
      return { tone: 'moving', text: `→ ${at}: installing snapshot ${event.snapshot}` };
    case 'updating':
      return { tone: 'moving', text: `→ ${at}: updating to snapshot ${event.snapshot}` };
    case 'removing':
      return { tone: 'moving', text: `→ ${at}: removing` };
    case 'gone':
      return event.how === 'removed'
        ? { tone: 'good', text: `✓ ${at}: removed` }
        : { tone: 'decided', text: `${at}: released, its objects stay` };
    case 'failed':
      return event.cause === undefined ? undefined : { tone: 'bad', text: `✗ ${at}: ${event.cause}` };
    case 'available':
    case 'compared':
      return { tone: 'good', text: `✓ ${at}: snapshot ${event.snapshot} is ${event.kind}` };
    case 'drifted':
    case 'differs': {
      // Members report themselves what they corrected.
      const open = event.objects.filter(({ details }) => !isAllRepaired(details));
      const what = event.kind === 'drifted' ? 'has drifted' : 'differs';
      return open.length === 0 ? undefined : { tone: 'bad', text: `≠ ${at}: ${what}: ${namesOf(open)}` };
    }
    case 'drift-over':
      return { tone: 'good', text: `✓ ${at}: no longer drifted` };
    case 'difference-over':
      return { tone: 'good', text: `✓ ${at}: no longer differs` };
    case 'applied':
    case 'not-available':
      return undefined;
    default:
      return assertNever(event);
  }
}
