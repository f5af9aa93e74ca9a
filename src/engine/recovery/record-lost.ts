import type { PlacementKey } from '../../api/meta.ts';
import { type FleetRecord, type PlanInput, type RecordedPlacement, writtenPlacements } from '../input.ts';
import { by } from '../kernel/ordering.ts';
import type { Hold } from '../plan-document.ts';
import { highestNamed } from './highest-index.ts';
import { isNeverRead, leftAlone, mayBeWritten } from './never-read.ts';
import { observedPlacements, rebuilt, underPolicy } from './rebuild.ts';
import { recoverUnread } from './recover-unread.ts';

export interface Recovered {
  readonly record: FleetRecord;
  readonly holds: readonly Hold[];
  readonly lost: boolean;
}

/**
 * Without any record, while members have objects with our label, bindings and contents are rebuilt from the members: nothing
 * is installed twice, no older version comes back and nothing of theirs is removed (docs/design.md). Objects of placements
 * that the repo does not name are reported and not changed: they may belong to another fleet. A placement that may be in an
 * unreadable file is rebuilt as well: once the file is fixed, the record would no longer count as lost.
 */
export function recoverRecord(input: PlanInput): Recovered {
  const { observations } = input;
  const record = withFirstPolicies(input);
  if (observations === undefined) return known(record);
  if (record.exists)
    return record.unread ? { ...recoverUnread({ ...input, record }, record.unread), lost: false } : known(record);
  const seen = observedPlacements(input);
  if (seen.size === 0) return known(record);
  const written = writtenPlacements(input.fleet);
  const placements = new Map<PlacementKey, RecordedPlacement>();
  const holds: Hold[] = [];
  for (const [key, onClusters] of [...seen].sort(by(([name]) => name))) {
    const placement = written.get(key);
    if (placement || mayBeWritten(input.fleet, key))
      placements.set(key, rebuilt(placement, key, onClusters, highestNamed(input, key)));
    else holds.push(leftAlone(key, [...onClusters.keys()]));
  }
  return {
    record: { ...record, exists: true, placements: new Map([...record.placements, ...placements]) },
    holds,
    lost: true,
  };
}

/** Gives placements that were rebuilt while their files could not be read their policy, once the files can be read. */
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
