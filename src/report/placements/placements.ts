import { placementKey } from '../../api/placement.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { EventSource, Sentence, SourceEntry } from '../event-source.ts';
import { countText, explainCommand, shortageText } from '../shortage.ts';
import { suspendedText } from '../suspensions.ts';
import { clausesOf } from './clauses.ts';
import { differenceNames, isAllRepaired } from './new-differences.ts';
import type { BindingEvent, PlacementEvent } from './placement-event.ts';
import { placementEvents } from './placement-events.ts';

export const placements: EventSource<PlacementEvent> = {
  events: placementEvents,
  // What becomes available says it too.
  isNews: ({ kind }) => kind !== 'applied',
  sentences(events) {
    const groups = [...Map.groupBy(events, ({ placement }) => placementKey(placement)).values()];
    return [
      ...groups.flatMap((ofOne) => sentences(ofOne, ofOne.flatMap(changeClauses))),
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

/** Of the placement as a whole. */
function changeClauses(event: PlacementEvent): Sentence[] {
  switch (event.kind) {
    case 'not-enough-clusters':
      return [[`only ${countText(event.shortage)}`]];
    case 'enough-clusters':
      return [['enough clusters again']];
    case 'suspended':
      return [[suspendedText(event.why)]];
    case 'resumed':
      return [['resumed']];
    default:
      return [];
  }
}

type Entry = Omit<SourceEntry, 'subject'> | undefined;

/** More picked clusters than that are only counted. */
const mostPicked = 3;

function entryOf(event: PlacementEvent): Entry {
  switch (event.kind) {
    case 'picked': {
      const names = event.decisions.map(({ clusterName, clusterScore: score }) =>
        score && (score.affinityScore !== 0 || score.topologySpreadScore !== 0)
          ? `${clusterName} (affinity ${score.affinityScore}, spread ${score.topologySpreadScore})`
          : clusterName,
      );
      return {
        tone: 'decided',
        text: `picked ${names.length > mostPicked ? `${names.length} clusters` : names.join(', ')}`,
      };
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
      // The first one is installed where it was picked.
      return event.snapshot === 0
        ? undefined
        : { tone: 'decided', text: `snapshot ${event.snapshot} of its resources` };
    case 'suspended':
      return { tone: 'waiting', text: `${suspendedText(event.why)}: its rollout waits until it is resumed` };
    case 'resumed':
      return { tone: 'decided', text: 'resumed' };
    case 'deleted':
      return { tone: 'decided', text: 'deleted' };
    default:
      return withCluster(event.cluster, entryOnCluster(event));
  }
}

const withCluster = (cluster: string, entry: Entry): Entry => entry && { ...entry, cluster };

/** With `{}` for the cluster. */
function entryOnCluster(event: BindingEvent): Entry {
  switch (event.kind) {
    case 'installing':
      return { tone: 'moving', text: `→ {}: installing snapshot ${event.snapshot}` };
    case 'updating':
      return { tone: 'moving', text: `→ {}: updating to snapshot ${event.snapshot}` };
    case 'removing':
      return { tone: 'moving', text: '→ {}: removing' };
    case 'gone':
      return event.how === 'removed'
        ? { tone: 'good', text: `✓ {}: removed` }
        : { tone: 'decided', text: `{}: released, its objects stay` };
    case 'failed':
      return event.cause === undefined ? undefined : { tone: 'bad', text: `✗ {}: ${event.cause}` };
    case 'available':
    case 'compared':
      return { tone: 'good', text: `✓ {}: snapshot ${event.snapshot} is ${event.kind}` };
    case 'drifted':
    case 'differs': {
      // Members report themselves what they corrected.
      const open = event.objects.filter(({ details }) => !isAllRepaired(details));
      const what = event.kind === 'drifted' ? 'has drifted' : 'differs';
      return open.length === 0 ? undefined : { tone: 'bad', text: `≠ {}: ${what}: ${differenceNames(open)}` };
    }
    case 'drift-over':
      return { tone: 'good', text: `✓ {}: no longer drifted` };
    case 'difference-over':
      return { tone: 'good', text: `✓ {}: no longer differs` };
    case 'not-available':
      return event.cause === undefined ? undefined : { tone: 'bad', text: `✗ {}: ${event.cause}` };
    case 'applied':
      return undefined;
    default:
      return assertNever(event);
  }
}
