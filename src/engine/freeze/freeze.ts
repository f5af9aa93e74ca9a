import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Timestamp } from '../../api/meta.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { notPaused, type Pause } from '../pause/pause.ts';
import { parseWindow } from '../window/parse-window.ts';
import { allClosedAt, firstOpening, type Window } from '../window/window.ts';

interface Freeze {
  readonly name: string;
  readonly window: Window;
}

/**
 * The pause of the whole fleet that FleetConfig's calendar `freeze` asks for at `now`. Drift repair, scheduling and snapshots
 * continue in it. An entry that cannot be read freezes until it is corrected: it is never read as none.
 */
export function freezeAt(config: FleetConfig | undefined, now: Timestamp): Pause {
  const written = config?.spec.freeze ?? [];
  if (written.length === 0) return notPaused;
  const parsed = written.map((entry) => ({ name: entry.name, result: parseWindow(entry) }));
  const broken = parsed.filter(({ result }) => !result.ok).map(({ name }) => name);
  if (broken.length > 0)
    return { kind: 'paused', words: `freeze ${broken.join(', ')}, which is not valid, is mended`, until: undefined };
  const freezes = parsed.flatMap(({ name, result }) => (result.ok ? [{ name, window: result.window }] : []));
  return pauseBy(freezes, parseInstant(now) ?? 0);
}

function pauseBy(freezes: readonly Freeze[], now: Instant): Pause {
  const windows = freezes.map(({ window }) => window);
  const open = freezes.filter(({ window }) => window.closesAt(now) !== undefined);
  if (open.length === 0) return { kind: 'none', pausesAt: written(firstOpening(windows, now)) };
  const names = open.map(({ name }) => name).join(', ');
  const until = written(allClosedAt(windows, now));
  const words =
    until === undefined ? `freeze ${names}, which leaves no gap, is changed` : `freeze ${names} ends at ${until}`;
  return { kind: 'paused', words, until };
}

const written = (instant: Instant | undefined): Timestamp | undefined =>
  instant === undefined ? undefined : formatInstant(instant);
