import type { FleetConfig } from '../../api/gitfleet.ts';
import type { Timestamp } from '../../api/meta.ts';
import type { Fleet } from '../input.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { notPaused, type Pause } from '../pause/pause.ts';
import { parseWindow } from '../window/parse-window.ts';
import { allClosedAt, firstOpening, type Window } from '../window/window.ts';

interface Freeze {
  readonly name: string;
  readonly window: Window;
}

/**
 * The pause of the whole fleet at `now` by FleetConfig's calendar `freeze`. Drift repair, scheduling and snapshots continue
 * during it. An invalid entry freezes until it is fixed: it is never read as no freeze.
 */
export function freezeAt(
  config: { readonly spec: Pick<FleetConfig['spec'], 'freeze'> } | undefined,
  now: Timestamp,
): Pause {
  const written = config?.spec.freeze ?? [];
  if (written.length === 0) return notPaused;
  const parsed = written.map((entry) => ({ name: entry.name, result: parseWindow(entry) }));
  const invalid = parsed.filter(({ result }) => !result.ok).map(({ name }) => name);
  if (invalid.length > 0)
    return { kind: 'paused', endsWhen: `the invalid freeze ${invalid.join(', ')} is fixed`, until: undefined };
  const freezes = parsed.flatMap(({ name, result }) => (result.ok ? [{ name, window: result.window }] : []));
  return pauseBy(freezes, parseInstant(now) ?? 0);
}

/** The same for a fleet, which may be frozen without a FleetConfig. */
export const freezeOf = ({ config, frozenUntil }: Pick<Fleet, 'config' | 'frozenUntil'>, now: Timestamp): Pause =>
  frozenUntil === undefined ? freezeAt(config, now) : { kind: 'paused', endsWhen: frozenUntil, until: undefined };

function pauseBy(freezes: readonly Freeze[], now: Instant): Pause {
  const windows = freezes.map(({ window }) => window);
  const open = freezes.filter(({ window }) => window.closesAt(now) !== undefined);
  if (open.length === 0) return { kind: 'none', pausesAt: toTimestamp(firstOpening(windows, now)) };
  const names = open.map(({ name }) => name).join(', ');
  const until = toTimestamp(allClosedAt(windows, now));
  const endsWhen =
    until === undefined ? `freeze ${names} is changed: it has no end` : `freeze ${names} ends at ${until}`;
  return { kind: 'paused', endsWhen, until, freeze: names };
}

const toTimestamp = (instant: Instant | undefined): Timestamp | undefined =>
  instant === undefined ? undefined : formatInstant(instant);
