import type { Problem } from '../../../api/problem.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import type { FollowedHistory } from './followed-history.ts';

/** A record as far as it is proven, and what of it is not. */
export interface Verified {
  readonly record: FleetRecord;
  readonly problems: readonly Problem[];
}

/** Verifies one part of the record. */
export interface PartVerifier {
  verify(record: FleetRecord, history: FollowedHistory): Promise<Verified>;
  /** This daemon published the record, on top of a verified one. */
  published(record: FleetRecord): void;
}
