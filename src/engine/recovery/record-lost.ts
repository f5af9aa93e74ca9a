import type { PlacementKey } from '../../api/meta.ts';
import { type FleetRecord, type PlanInput, type RecordedPlacement, writtenPlacements } from '../input.ts';
import { by } from '../kernel/ordering.ts';
import type { Hold } from '../plan-document.ts';
import { isNeverRead, leftAlone, mayBeWritten } from './never-read.ts';
import { rebuilt, sightedPlacements, underPolicy } from './rebuild.ts';
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
  const { observations } = input;
  const record = withFirstPolicies(input);
  if (observations === undefined) return known(record);
  if (record.exists)
    return record.unread ? { ...recoverUnread({ ...input, record }, record.unread), lost: false } : known(record);
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

/** Placements that were rebuilt while their files could not be read, and whose files can be now. */
function withFirstPolicies({ record, fleet }: PlanInput): FleetRecord {
  const waiting = [...record.placements].filter(
    ([, recorded]) => recorded.state.policySnapshots.length === 0 && isNeverRead(recorded),
  );
  if (waiting.length === 0) return record;
  const written = writtenPlacements(fleet);
  const read = waiting.flatMap(([key, recorded]): [PlacementKey, RecordedPlacement][] => {
    const placement = written.get(key);
    return placement ? [[key, underPolicy(recorded, placement.spec.policy)]] : [];
  });
  return read.length === 0 ? record : { ...record, placements: new Map([...record.placements, ...read]) };
}

const known = (record: FleetRecord): Recovered => ({ record, holds: [], lost: false });
