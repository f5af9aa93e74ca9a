import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Timestamp } from '../../api/meta.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import type { Hold } from '../plan-document.ts';
import { type FreezeWindow, parseFreeze } from './freeze-window.ts';

export interface Frozen {
  readonly kind: 'frozen';
  /** `freeze holidays ends at 2026-12-31T00:00:00Z`. */
  readonly words: string;
  /** When nothing is frozen any more; undefined = time alone does not end it. */
  readonly until: Timestamp | undefined;
  /** Nobody knows what is wanted until a file is mended: no snapshot is taken either. Undefined = somebody froze it. */
  readonly cause?: 'RecordLost';
}

/** Whether the fleet is frozen at an instant, and what time alone will change about that. */
export type Freeze =
  | Frozen
  /** `opensAt`: when the next freeze begins; undefined = never. */
  | { readonly kind: 'none'; readonly opensAt: Timestamp | undefined };

/** No freeze, and none to come. */
export const notFrozen: Freeze = { kind: 'none', opensAt: undefined };

/** Windows that follow one another without a gap are one; after so many they are taken to go on for ever. */
const mostWindows = 1000;

/**
 * What FleetConfig's `freeze` says at `now`. While the fleet is frozen nothing new begins: no cluster is added, updated or
 * cleaned up, no run starts its next cluster, no eviction is carried out. What is under way goes on, and so do drift
 * repair, scheduling and snapshots. An entry that cannot be read freezes until it is mended: it is never read as none.
 */
export function freezeAt(config: FleetConfig | undefined, now: Timestamp): Freeze {
  const written = config?.spec.freeze ?? [];
  if (written.length === 0) return notFrozen;
  const instant = parseInstant(now) ?? 0;
  const parsed = written.map((entry) => ({ name: entry.name, result: parseFreeze(entry) }));
  const broken = parsed.filter(({ result }) => !result.ok).map(({ name }) => name);
  if (broken.length > 0)
    return { kind: 'frozen', words: `freeze ${broken.join(', ')}, which is not valid, is mended`, until: undefined };
  const windows = parsed.flatMap(({ result }) => (result.ok ? [result.window] : []));
  const active = windows.filter((window) => window.endAt(instant) !== undefined);
  if (active.length === 0) return { kind: 'none', opensAt: opening(windows, instant) };
  const end = endOf(windows, instant);
  const until = end === undefined ? undefined : formatInstant(end);
  const names = active.map(({ name }) => name).join(', ');
  return {
    kind: 'frozen',
    words:
      until === undefined ? `freeze ${names}, which leaves no gap, is changed` : `freeze ${names} ends at ${until}`,
    until,
  };
}

function opening(windows: readonly FreezeWindow[], now: Instant): Timestamp | undefined {
  const openings = windows.flatMap((window) => window.opensAfter(now) ?? []);
  return openings.length === 0 ? undefined : formatInstant(Math.min(...openings));
}

function endOf(windows: readonly FreezeWindow[], now: Instant): Instant | undefined {
  let end = now;
  for (let count = 0; count < mostWindows; count++) {
    const later = windows.flatMap((window) => window.endAt(end) ?? []);
    if (later.length === 0) return end;
    end = Math.max(...later);
  }
  return undefined;
}

/** `what` waits for the end of the freeze: `eu-1 is to be updated`. */
export const frozenHold = (subject: Hold['subject'], what: string, { words, until, cause }: Frozen): Hold => ({
  subject,
  reason: cause ?? 'Freeze',
  message: `${what} once ${words}`,
  ...(until === undefined ? {} : { until }),
});
