import type { GateConfiguration } from '../../api/upgrade-strategy.ts';
import type { Instant } from '../kernel/instant.ts';

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const dayMs = 86_400_000;
/** 1970-01-01 was a Thursday. */
const epochDay = 4;

/** The next occurrence of the day and time, strictly after an instant: missed today, it is that of the next week. */
export function nextStart(
  { startDay, startTime, utcOffset }: NonNullable<GateConfiguration['scheduledStartConfiguration']>,
  after: Instant,
): Instant {
  const offset = (utcOffset.startsWith('-') ? -1 : 1) * minutesOf(utcOffset.slice(1)) * 60_000;
  const local = after + offset;
  const today = Math.floor(local / dayMs);
  const ahead = (days.indexOf(startDay) - ((today + epochDay) % 7) + 7) % 7;
  const start = (today + ahead) * dayMs + minutesOf(startTime) * 60_000;
  return (start > local ? start : start + 7 * dayMs) - offset;
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}
