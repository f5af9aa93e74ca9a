import { UnreachableError } from '../../members/api-server/api-error.ts';
import { type MemberClient, memberClient } from '../../members/api-server/client.ts';
import type { Discovery } from '../../members/api-server/discovery.ts';
import { sharedLimits } from '../../members/api-server/shared-limits.ts';
import type { Transport } from '../../members/api-server/transport.ts';
import { systemClock } from '../../members/clock.ts';
import { type PluralOf, paramKinds, type Work } from '../../members/rights.ts';

/** A client for the few requests of one command, all of them within `timeoutMs`. */
export const briefClient = (name: string, transport: Transport, timeoutMs: number): MemberClient =>
  memberClient({
    name,
    transport,
    clock: systemClock,
    life: AbortSignal.timeout(timeoutMs),
    shared: sharedLimits(),
    refused: () => {},
  });

/** Plurals as the member has them; of kinds that it does not serve, as the fleet repo has them. Rejects with UnreachableError. */
export async function servedPlurals(
  { placed, removed }: Work,
  discovery: Discovery,
  inRepo: PluralOf,
): Promise<PluralOf> {
  const plurals = new Map<string, string>();
  for (const { apiVersion, kind } of [...placed, ...removed, ...paramKinds(placed)]) {
    const key = `${apiVersion}/${kind}`;
    if (plurals.has(key)) continue;
    const served = await discovery.find(apiVersion, kind).catch((error: unknown) => {
      if (error instanceof UnreachableError) throw error;
      return undefined;
    });
    if (served) plurals.set(key, served.plural);
  }
  return (apiVersion, kind) => plurals.get(`${apiVersion}/${kind}`) ?? inRepo(apiVersion, kind);
}
