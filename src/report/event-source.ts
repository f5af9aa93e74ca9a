import type { Timestamp } from '../api/meta.ts';
import type { Change } from './change.ts';

/** An event as a line of a timeline. */
export interface TimelineEntry {
  readonly tone: 'decided' | 'moving' | 'good' | 'waiting' | 'bad';
  readonly subject: string;
  readonly text: string;
  /** When the wait that it reports ends by itself. */
  readonly until?: Timestamp;
}

/** An entry as a source makes it. `cluster`: `{}` in the text stands for it, and entries with the same text share a line. */
export interface SourceEntry extends TimelineEntry {
  readonly cluster?: string;
}

/** A sentence of a status commit: as its body has it, then shorter ones for the subject. */
export type Sentence = readonly [whole: string, ...shorter: string[]];

/** One kind of thing that events happen to: which events there are, and how they read. */
export interface EventSource<E extends { readonly kind: string }> {
  readonly events: (change: Change) => readonly E[];
  /** For the message of a status commit. Absent = none of its events is in there. */
  readonly sentences?: (events: readonly E[]) => readonly (string | Sentence)[];
  /** Whether people want to know. What they do not is in a message only if nothing else has happened. Absent = always. */
  readonly isNews?: (event: E) => boolean;
  /** What the subject of a status commit names before anything else. */
  readonly leads?: true;
  /** For a timeline. Absent = none of its events is in there. */
  readonly entries?: (event: E) => readonly SourceEntry[];
  /** Of a refused plan nothing else is carried out. */
  readonly alsoWhenRefused?: true;
}
