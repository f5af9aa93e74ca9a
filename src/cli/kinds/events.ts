import { formatInstant } from '../../engine/kernel/instant.ts';
import { titleOf } from '../../repo/title-of.ts';
import { type FleetEvent, readEvents } from '../status/read-events.ts';
import { age } from '../terminal/age.ts';
import { namesOfKind } from './kind-words.ts';
import { type Listing, listing } from './listing.ts';

/** What `kubectl get events` shows, read from the history of the status branch. */
export const events = (history: number): Listing =>
  listing<FleetEvent>({
    names: [...namesOfKind('events'), 'ev'],
    folders: [],
    ordered: true,
    nameless: true,
    items: (status, reader) => readEvents(reader, status, { most: history }),
    describe: (event) => ({
      name: event.object.name,
      namespace: event.object.namespace,
      placement: titleOf(event.object),
      value: eventObject(event),
    }),
    columns: [
      { heading: 'LAST SEEN', cell: ({ at }, now) => age(at, now) },
      { heading: 'TYPE', cell: ({ type }) => type },
      { heading: 'REASON', cell: ({ reason }) => reason },
      { heading: 'OBJECT', cell: ({ object }) => `${object.kind.toLowerCase()}/${object.name}` },
      { heading: 'FIRST SEEN', wide: true, cell: ({ firstAt }, now) => age(firstAt, now) },
      { heading: 'COUNT', wide: true, cell: ({ count }) => count },
      { heading: 'COMMIT', wide: true, cell: ({ commit }) => commit.slice(0, 12) },
      { heading: 'MESSAGE', cell: ({ message }) => message },
    ],
  });

/** As the Event that Kubernetes would keep. */
export function eventObject({ object, type, reason, message, at, firstAt, count, commit }: FleetEvent): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${object.name}.${commit.slice(0, 12)}`,
      namespace: object.namespace ?? 'default',
      annotations: { 'gitfleet.dev/commit': commit },
    },
    type,
    reason,
    message,
    involvedObject: object,
    firstTimestamp: formatInstant(firstAt),
    lastTimestamp: formatInstant(at),
    count,
    source: { component: 'gitfleet' },
  };
}

/** The table at the end of `kubectl describe`. */
export function eventRows(events: readonly FleetEvent[], now: number): (readonly string[])[] {
  return events.map(({ type, reason, at, firstAt, count, message }) => [
    type,
    reason,
    count === 1 ? age(at, now) : `${age(at, now)} (x${count} over ${age(firstAt, now)})`,
    'gitfleet',
    message,
  ]);
}
