import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import { horizonMs } from '../../engine/upgrade/maintenance-window.ts';
import type { ClusterWindows, TimedOpening } from './cluster-windows.ts';

/** The windows as an iCalendar file (RFC 5545, which ends lines by CR LF: that is added on output), one event for each opening. */
export function calendar(cluster: string, windows: readonly ClusterWindows[], now: string): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//gitfleet//maintenance windows//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escaped(`Maintenance windows of ${cluster}`)}`,
    ...windows.flatMap((of) => of.openings.flatMap((opening) => event(opening, of, { cluster, now }))),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\n`).join('');
}

function event(
  { opens, closes, freeze }: TimedOpening,
  { types, configurations }: ClusterWindows,
  { cluster, now }: { readonly cluster: string; readonly now: string },
): string[] {
  const frozen = freeze === undefined ? '' : freeze === 'whole' ? ' (frozen)' : ` (frozen ${freeze})`;
  return [
    'BEGIN:VEVENT',
    // The same opening keeps its name in every export, so that a calendar updates it.
    `UID:${compact(opens)}-${types.join('-').toLowerCase()}-${cluster}@gitfleet.dev`,
    `DTSTAMP:${compact(now)}`,
    `DTSTART:${compact(opens)}`,
    // An event needs an end.
    `DTEND:${compact(closes ?? formatInstant(parseInstant(now)! + horizonMs))}`,
    `SUMMARY:${escaped(`${cluster}: upgrades may start${frozen}`)}`,
    `DESCRIPTION:${escaped(`Types of upgrades: ${types.join(', ')}. MaintenanceConfiguration: ${configurations.join(', ')}`)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20261121T000000Z`. */
const compact = (instant: string): string => instant.replaceAll(/[-:]|\.\d+/g, '');

const escaped = (text: string): string => text.replaceAll(/[\\;,]/g, '\\$&');

/** Lines of at most 75 octets. Names of clusters and configurations are ASCII. */
const folded = (line: string): string => line.match(/^.{1,75}|.{1,74}/g)!.join('\n ');
