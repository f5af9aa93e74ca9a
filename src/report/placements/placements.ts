import { placementKey } from '../../api/placement.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { EventSource, Sentence, TimelineEntry } from '../event-source.ts';
import { countText, explainCommand, shortageText } from '../shortage.ts';
import { suspendedText } from '../suspensions.ts';
import { clausesOf } from './clauses.ts';
import { differenceNames, isAllRepaired } from './new-differences.ts';
import type { BindingEvent, PlacementEvent } from './placement-event.ts';
import { placementEvents } from './placement-events.ts';

export const placements: EventSource<PlacementEvent> = {
  events: placementEvents,
  sentences(events) {
    const groups = [...Map.groupBy(events, ({ placement }) => placementKey(placement)).values()];
    return [
      ...groups.flatMap((ofOne) => sentences(ofOne, ofOne.flatMap(shortageClauses))),
      ...groups.flatMap((ofOne) => sentences(ofOne, clausesOf(ofOne.filter((event) => 'cluster' in event)))),
    ];
  },
  entries: (event) => {
    const entry = entryOf(event);
    return entry ? [{ subject: titleOf(event.placement), ...entry }] : [];
  },
};

const sentences = (events: readonly PlacementEvent[], clauses: readonly Sentence[]): Sentence[] =>
  clauses.map(([first, ...shorter]) => {
    const sentence = (clause: string): string => `${titleOf(events[0]!.placement)}: ${clause}`;
    return [sentence(first), ...shorter.map(sentence)];
  });

function shortageClauses(event: PlacementEvent): Sentence[] {
  if (event.kind === 'not-enough-clusters') return [[`only ${countText(event.shortage)}`]];
  return event.kind === 'enough-clusters' ? [['enough clusters again']] : [];
}

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
      return open.length === 0 ? undefined : { tone: 'bad', text: `≠ ${at}: ${what}: ${differenceNames(open)}` };
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
