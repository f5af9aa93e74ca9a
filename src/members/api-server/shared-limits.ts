import { type CommonLimit, commonLimit } from './common-limit.ts';
import { type MemberLimits, memberLimits } from './member-limits.ts';

/** The limits of members, and those that all of them share. */
export interface SharedLimits {
  readonly limits: MemberLimits;
  /** Bytes of answers that are being read. */
  readonly inFlight: CommonLimit;
  /** Bytes of objects that are kept and that the fleet repo does not explain. */
  readonly kept: CommonLimit;
  /** How much a member may keep because the fleet repo has it, bytes. */
  readonly explained: () => number;
  /** @param bytes What the manifests of the fleet repo take. */
  explain(bytes: number): void;
}

export function sharedLimits(limits: MemberLimits = memberLimits): SharedLimits {
  let placed = 0;
  return {
    limits,
    inFlight: commonLimit(limits.inFlightBytes),
    kept: commonLimit(limits.allKeptBytes),
    explained: () => placed * limits.keptPerPlacedByte,
    explain(bytes) {
      placed = bytes;
    },
  };
}
