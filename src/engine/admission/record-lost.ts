import type { PlacementKey } from '../../api/meta.ts';
import { type FleetRecord, type PlanInput, type RecordedPlacement, writtenPlacements } from '../input.ts';
import { by } from '../kernel/ordering.ts';
import type { Hold } from '../plan-document.ts';
import { leftAlone, mayBeWritten } from './never-read.ts';
import { rebuilt, sightedPlacements } from './rebuild.ts';
import { recoverUnread } from './recover-unread.ts';

export interface Recovered {
  readonly record: FleetRecord;
  readonly holds: readonly Hold[];
  readonly lost: boolean;
}

/**
 * With no record at all while members carry our label, bindings and contents are rebuilt from what the members show, so
 * that nothing is installed twice, nothing older comes back and nothing of theirs is removed (docs/design.md). Placements
 * that the repo no longer names are left alone and said aloud: their objects may belong to another fleet. One that a broken
 * file may name is rebuilt as well: by the time the file is mended the record would not be lost any more.
 */
export function recoverRecord(input: PlanInput): Recovered {
  const { record, observations } = input;
  if (observations === undefined) return known(record);
  if (record.exists) return record.unread ? { ...recoverUnread(input, record.unread), lost: false } : known(record);
  const seen = sightedPlacements(input);
  if (seen.size === 0) return known(record);
  const written = writtenPlacements(input.fleet);
  const placements = new Map<PlacementKey, RecordedPlacement>();
  const holds: Hold[] = [];
  for (const [key, sighted] of [...seen].sort(by(([name]) => name))) {
    const placement = written.get(key);
    if (placement || mayBeWritten(input.fleet, key)) placements.set(key, rebuilt(placement, key, sighted));
    else holds.push(leftAlone(key, [...sighted.keys()]));
  }
  return {
    record: { ...record, exists: true, placements: new Map([...record.placements, ...placements]) },
    holds,
    lost: true,
  };
}

const known = (record: FleetRecord): Recovered => ({ record, holds: [], lost: false });
