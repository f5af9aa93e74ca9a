const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ns: 1e-6,
};

/** Go's time.ParseDuration, in milliseconds: `1h30m`, `+20m`, `.5h`, `900000000us`. Undefined for anything else. */
export function parseGoDuration(text: string): number | undefined {
  const match = /^([+-])?((?:(?:\d+\.?\d*|\.\d+)(?:h|ms|us|µs|μs|ns|m|s))+)$/.exec(text);
  if (!match) return text === '0' || text === '+0' || text === '-0' ? 0 : undefined;
  let total = 0;
  for (const [, amount, unit] of match[2]!.matchAll(/(\d+\.?\d*|\.\d+)(h|ms|us|µs|μs|ns|m|s)/g))
    total += Number(amount) * unitMs[unit!]!;
  return match[1] === '-' ? -total : total;
}
