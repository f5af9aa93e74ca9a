import type { Timestamp } from '../../api/meta.ts';
import type { Hold } from '../plan-document.ts';

/** Nothing new starts: no cluster is added, updated, cleaned up or drained. What has started continues. */
export interface Paused {
  readonly kind: 'paused';
  /** A clause after `once`: `freeze holidays ends at 2026-12-31T00:00:00Z`. */
  readonly endsWhen: string;
  /** When the pause ends; undefined = time alone does not end it. */
  readonly until: Timestamp | undefined;
  /** Names of the active freezes, where those pause it. */
  readonly freeze?: string;
  /** The desired state is unknown until a file is fixed: no snapshot is taken either. Undefined = a user set the pause. */
  readonly cause?: 'RecordLost';
}

/** Whether anything new may start at an instant, and when time alone changes that. */
export type Pause =
  | Paused
  /** `pausesAt`: when the next freeze starts; undefined = never. */
  | { readonly kind: 'none'; readonly pausesAt: Timestamp | undefined };

/** No pause, and none to come. */
export const notPaused: Pause = { kind: 'none', pausesAt: undefined };

/** A hold until the pause ends. `what`: `eu-1 is updated`. */
export const pausedHold = (subject: Hold['subject'], what: string, pause: Paused): Hold => ({
  subject,
  ...heldByPause(what, pause),
});

/** The same without its subject. */
export const heldByPause = (what: string, { endsWhen, until, cause }: Paused): Omit<Hold, 'subject'> => ({
  reason: cause ?? 'Freeze',
  message: `${what} once ${endsWhen}`,
  ...(until === undefined ? {} : { until }),
});
