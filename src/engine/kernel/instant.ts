import type { Timestamp } from '../../api/meta.ts';

/** Milliseconds since 1970-01-01T00:00:00Z. The engine has no Date: time is a value like any other. */
export type Instant = number;

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** Parses RFC 3339. Returns undefined for anything else; fractions below a millisecond are cut off. */
export function parseInstant(text: Timestamp): Instant | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = match as unknown as string[];
  if (+month! < 1 || +month! > 12 || +day! < 1 || +day! > 31 || +hour! > 23 || +minute! > 59 || +second! > 60)
    return undefined;
  const days = daysFromCivil(+year!, +month!, +day!);
  // Rejects days like 30 February.
  if (civilFromDays(days)[2] !== +day!) return undefined;
  const ms = +(fraction ?? '0').slice(0, 3).padEnd(3, '0');
  const local = ((days * 24 + +hour!) * 60 + +minute!) * 60_000 + +second! * 1000 + ms;
  if (zone === 'Z' || zone === 'z') return local;
  const sign = zone![0] === '-' ? -1 : 1;
  return local - sign * (+zone!.slice(1, 3) * 60 + +zone!.slice(4, 6)) * 60_000;
}

/** RFC 3339 in UTC, milliseconds only when there are any: `2026-11-20T10:00:00Z`. */
export function formatInstant(instant: Instant): Timestamp {
  const days = Math.floor(instant / 86_400_000);
  let rest = instant - days * 86_400_000;
  const [year, month, day] = civilFromDays(days);
  const ms = rest % 1000;
  rest = (rest - ms) / 1000;
  const pad = (value: number, width = 2) => String(value).padStart(width, '0');
  const time = `${pad(Math.floor(rest / 3600))}:${pad(Math.floor(rest / 60) % 60)}:${pad(rest % 60)}`;
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${time}${ms === 0 ? '' : `.${pad(ms, 3)}`}Z`;
}

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar, counted in eras of 400 years that begin on 1 March. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

/** The date, months and days counted from 1, of so many days since 1970-01-01. */
export function civilFromDays(days: number): [year: number, month: number, day: number] {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9);
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day];
}
