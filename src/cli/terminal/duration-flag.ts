import { parseDuration } from '../../engine/kernel/duration.ts';
import { CliError } from './exit.ts';

/** A duration of a flag, milliseconds; days are written as `7d`. Error: CliError. */
export function durationOf(flag: string, text: string, otherwise = ''): number {
  const days = /^(\d+)d$/.exec(text)?.[1];
  const ms = parseDuration(days === undefined ? text : `${Number(days) * 24}h`);
  if (ms === undefined)
    throw new CliError(`${flag} ${text} is not a duration: write for example 90s, 1h or 7d${otherwise}`);
  return ms;
}
