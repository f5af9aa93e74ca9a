/** A number or a percentage of `total`; percentages of surge round up, those of unavailability down. */
export function resolveCount(value: unknown, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(typeof value === 'string' ? value : '');
  if (!percent) return 0;
  const exact = (Number(percent[1]) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
