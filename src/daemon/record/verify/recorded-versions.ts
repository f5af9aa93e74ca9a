import type { Problem } from '../../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import type { FollowedHistory } from './followed-history.ts';
import { mismatch } from './mismatch.ts';
import { type Claim, claimsOf, valuesOf } from './recorded-claims.ts';
import type { PartVerifier, Verified } from './verified.ts';

/**
 * Verifies last good versions of placements, members and the FleetConfig, override snapshots, and labels used by overrides: each is
 * a version of the followed branch, or is replaced by the last one there.
 */
export function versionVerifier(): PartVerifier {
  const trusted = new WeakSet<object>();
  /** At rest, record and tip stay the same, so open claims are not searched in history again. */
  let last: { readonly of: FleetRecord; readonly tip: Fleet; readonly verified: Verified } | undefined;
  return {
    async verify(record, history) {
      const tip = (await history.fleetAt(history.tip))!;
      if (last?.of === record && last.tip === tip) return last.verified;
      const open = new Set<Claim>();
      for (const [value, claim] of claimsOf(record, tip)) {
        if (value !== undefined && trusted.has(value)) continue;
        if (claim.standingIn(tip) !== 'same') open.add(claim);
        else if (value) trusted.add(value);
      }
      const verified = open.size === 0 ? { record, problems: [] } : await settle(record, { open, history, tip });
      last = { of: record, tip, verified };
      return verified;
    },
    published(record) {
      for (const value of valuesOf(record)) trusted.add(value);
    },
  };
}

/** Searches open claims in the history: at their own commits, back from the tip for those in effect, and back from the planned commit. */
async function settle(
  record: FleetRecord,
  of: { readonly open: Set<Claim>; readonly history: FollowedHistory; readonly tip: Fleet },
): Promise<Verified> {
  const { open, history, tip } = of;
  const instead = new Map<Claim, (record: FleetRecord) => FleetRecord>();
  const refused = new Set<Claim>();
  const look = (fleet: Fleet, claims: Iterable<Claim>, isStrict = false): void => {
    for (const claim of claims) {
      const standing = claim.standingIn(fleet);
      if (standing === 'same') {
        open.delete(claim);
        continue;
      }
      const found = instead.has(claim) ? undefined : claim.insteadIn(fleet);
      if (found) instead.set(claim, found);
      const hasEnded = standing === 'replaced' || (standing === 'absent' && claim.endsWhenAbsent);
      if (isStrict && hasEnded && open.delete(claim)) refused.add(claim);
    }
  };
  look(tip, [...open]);
  for (const claim of [...open]) {
    const fleet = claim.commit === undefined ? undefined : await history.fleetAt(claim.commit);
    if (fleet && claim.standingIn(fleet) === 'same') open.delete(claim);
  }
  // A valid file that may replace the recorded version is in effect already.
  const inEffect = [...open].filter((claim) => claim.isLastGood && claim.standingIn(tip) !== 'replaced');
  if (inEffect.length > 0)
    for await (const { fleet } of history.before(history.tip)) {
      const [strict, others] = [true, false].map((is) => [...open].filter((claim) => inEffect.includes(claim) === is));
      look(fleet, strict!, true);
      look(fleet, others!);
      if (!inEffect.some((claim) => open.has(claim))) break;
    }
  const planned =
    open.size + refused.size > 0 && record.commit !== undefined ? await history.fleetAt(record.commit) : undefined;
  if (planned) look(planned, [...open]);
  if (open.size > 0)
    for await (const { fleet } of history.before(planned ? record.commit! : history.tip)) {
      look(fleet, [...open]);
      if (open.size === 0) break;
    }
  let healed = record;
  for (const claim of [...refused, ...open]) healed = (instead.get(claim) ?? claim.without)(healed);
  // A version of the planned commit is outdated, not forged.
  const forged = [...refused].filter((claim) => !planned || claim.standingIn(planned) !== 'same');
  const reported = [...forged, ...open].filter(
    (claim) => claim.lacks === undefined || (claim.lacks === 'later' && instead.has(claim)),
  );
  return { record: healed, problems: reported.map((claim) => problemOf(claim, instead.has(claim))) };
}

const problemOf = ({ path }: Claim, isHealed: boolean): Problem =>
  mismatch(
    path,
    isHealed
      ? 'the followed branch never had this version: gitfleet uses the last one that the branch had'
      : 'the followed branch never had this version: gitfleet does not use it',
  );
