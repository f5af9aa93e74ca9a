import type { Timestamp } from '../../api/meta.ts';
import type { Hold } from '../plan-document.ts';

/** Nothing new starts: no cluster is added, updated, cleaned up or emptied. What is under way continues. */
export interface Paused {
  readonly kind: 'paused';
  /** What ends it: `freeze holidays ends at 2026-12-31T00:00:00Z`. */
  readonly words: string;
  /** When nothing is paused any more; undefined = time alone does not end it. */
  readonly until: Timestamp | undefined;
  /** What is wanted is unknown until a file is corrected: no snapshot is taken either. Undefined = someone asked for the pause. */
  readonly cause?: 'RecordLost';
}

/** Whether anything new may start at an instant, and what time alone will change about that. */
export type Pause =
  | Paused
  /** `pausesAt`: when the next freeze begins; undefined = never. */
  | { readonly kind: 'none'; readonly pausesAt: Timestamp | undefined };

/** No pause, and none to come. */
export const notPaused: Pause = { kind: 'none', pausesAt: undefined };

/** `what` waits for the end of the pause: `eu-1 is to be updated`. */
export const pausedHold = (subject: Hold['subject'], what: string, { words, until, cause }: Paused): Hold => ({
  subject,
  reason: cause ?? 'Freeze',
  message: `${what} once ${words}`,
  ...(until === undefined ? {} : { until }),
});
