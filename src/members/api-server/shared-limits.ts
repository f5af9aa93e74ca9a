import { type CommonLimit, commonLimit } from './common-limit.ts';
import { type MemberLimits, memberLimits } from './member-limits.ts';

/** The limits of members, and those that all of them share. */
export interface SharedLimits {
  readonly limits: MemberLimits;
  /** Bytes of responses that are being read. */
  readonly inFlight: CommonLimit;
  /** Bytes of objects of kept objects that are not in the fleet repo. */
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
