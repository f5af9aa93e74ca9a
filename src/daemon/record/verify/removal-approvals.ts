import type { ApprovedRemoval } from '../../../api/gitfleet.ts';
import { acceptsHandWritten } from '../../../engine/gate/answer.ts';
import { hexOf, isRemovalApproved } from '../../../engine/gate/removal-approval.ts';
import { emptyFleet, type Fleet, type FleetRecord } from '../../../engine/input.ts';
import type { FollowedHistory } from './followed-history.ts';
import { mayRemove } from './removing-changes.ts';

export interface RemovalApprovalVerifier {
  /** The record without requests and uses that are not proven. */
  verify(record: FleetRecord, history: FollowedHistory): Promise<FleetRecord>;
  /** This daemon published what it requests. */
  requested(record: FleetRecord): void;
  /** This daemon published the record. */
  published(record: FleetRecord): void;
}

type Removals = FleetRecord['removals'];

/**
 * An approval of a removal counts if it was requested before it was given, and once. The status branch alone proves neither. So this
 * daemon published the request, or the approval came to the followed branch after the change that removes. Uses that this daemon
 * published stay used.
 */
export function removalApprovalVerifier(): RemovalApprovalVerifier {
  /** Digests that this daemon requested, while no approval had them. */
  let asked: ReadonlySet<string> = new Set();
  let used: Removals = new Map();
  /** The followed branch as last verified. */
  let tip = emptyFleet;
  /** Of digests that this daemon did not request: up to which commit they are proven. Undefined: no later commit proves them. */
  const provenAt = new Map<string, string | undefined>();

  async function isProven(digest: string, history: FollowedHistory): Promise<boolean> {
    if (asked.has(digest) || isUnderWay(digest, used)) return true;
    if (provenAt.has(digest) && provenAt.get(digest) === undefined) return false;
    const isSo = await cameAfterItsRemoval(digest, history, provenAt.get(digest));
    provenAt.set(digest, isSo ? history.tip : undefined);
    return isSo;
  }

  return {
    async verify(record, history) {
      tip = (await history.fleetAt(history.tip))!;
      for (const digest of [...provenAt.keys()]) if (!isRemovalApproved(digest, tip)) provenAt.delete(digest);
      const removals = withUses(record.removals, used, tip);
      if (acceptsHandWritten(tip)) return { ...record, removals };
      const doubted = new Set<string>();
      for (const { spec } of tip.removalApprovals) {
        const { removalDigest: digest } = spec;
        const isClaimed = isUnderWay(digest, removals) || record.askedRemovals?.has(digest);
        if (isClaimed && !(await isProven(digest, history))) doubted.add(digest);
      }
      if (doubted.size === 0) return { ...record, removals };
      return {
        ...record,
        removals: new Map(
          [...removals].map(([name, use]) => [name, doubted.has(use.spec.removalDigest) ? ended(use) : use]),
        ),
        askedRemovals: record.askedRemovals?.difference(doubted),
      };
    },
    requested({ askedRemovals }) {
      asked = new Set([...(askedRemovals ?? [])].filter((it) => asked.has(it) || !isRemovalApproved(it, tip)));
    },
    published(record) {
      used = record.removals;
    },
  };
}

const isUnderWay = (digest: string, removals: Removals): boolean =>
  removals.get(hexOf(digest))?.status.underWay !== undefined;

/** What is left of the removal requires another approval. */
function ended(use: ApprovedRemoval): ApprovedRemoval {
  const { underWay: _, ...status } = use.status;
  return { ...use, status };
}

/** Uses cannot be undone while the approval is on the followed branch. */
function withUses(removals: Removals, used: Removals, tip: Fleet): Removals {
  const undone = [...used].filter(([name, { spec, status }]) => {
    const now = removals.get(name);
    const isUndone = now === undefined || (status.underWay === undefined && now.status.underWay !== undefined);
    return isUndone && isRemovalApproved(spec.removalDigest, tip);
  });
  return undone.length === 0 ? removals : new Map([...removals, ...undone]);
}

/**
 * Whether an approval came to the followed branch in a commit before which all was there that removes something now. `provenAt`: a
 * commit at which that was so. History that is missing, or too long, proves nothing.
 */
async function cameAfterItsRemoval(digest: string, history: FollowedHistory, provenAt?: string): Promise<boolean> {
  if (provenAt === history.tip) return true;
  let later = (await history.fleetAt(history.tip))!;
  for await (const { commit, fleet } of history.before(history.tip)) {
    if (mayRemove(fleet, later)) return false;
    if (commit === provenAt || !isRemovalApproved(digest, fleet)) return true;
    later = fleet;
  }
  return false;
}
