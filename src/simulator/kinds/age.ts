/** Kubernetes' HumanDuration: `45s`, `3m12s`, `5h`, `2d3h`, `40d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? withRest(years, 'y', days % 365, 'd') : `${years}y`;
}

const withRest = (big: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big}${unit}` : `${big}${unit}${small}${smallUnit}`;

export const ageOf = (instant: unknown, now: number): string =>
  typeof instant === 'string' ? humanDuration(now - Date.parse(instant)) : '<unknown>';
