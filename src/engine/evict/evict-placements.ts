import type { Eviction } from '../../api/eviction.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import { noOutcome, type SectionOutcome } from '../domain.ts';
import type { FleetRecord } from '../input.ts';
import { placementPause } from '../pause/placement-pause.ts';
import type { PlacementWork } from '../placement-work.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import { inFleet, unavailableByUpgrade, type World } from '../world.ts';
import { type EvictOutcome, evict } from './evict.ts';

/** Carries out the evictions of the fleet, each once per plan. `earlier`: their outcome in an earlier round of the same plan. */
export function evictPlacements(
  works: readonly PlacementWork[],
  world: World,
  earlier: EvictOutcome | undefined,
): EvictOutcome {
  const { input, admitted, record, pause, recordLost } = world;
  const outcome = evict({
    works,
    evictions: earlier ? [] : input.fleet.evictions.filter((eviction) => !waitsForState(eviction, record)),
    recorded: earlier ? new Map(earlier.recorded.map((it) => [it.metadata.name, it])) : record.evictions,
    budgets: input.fleet.budgets,
    now: input.now,
    inFleet: (cluster) => inFleet(cluster, world),
    isUnavailable: unavailableByUpgrade(world),
    unproven: input.unproven,
    pauseOf: (work) => (work ? placementPause(work, world) : pause),
    digest: input.digest,
    refused: input.fleet.refused,
    deletedPlacements: new Set([
      ...admitted.deleted.map(({ key }) => key),
      ...input.fleet.beingDeleted.map((placement) => placementKey(refOf(placement))),
    ]),
    recordLost,
    unread: record.unread?.evictions,
    sources: input.fleet.sources,
  });
  return earlier ? { ...earlier, works: outcome.works } : outcome;
}

/** A placement whose state cannot be read is left out of the plan, and its evictions with it. */
const waitsForState = ({ spec }: Eviction, { unread }: FleetRecord): boolean =>
  unread?.placements.has(placementKey({ name: spec.placementName })) ?? false;

export const evictionsOutcome = (
  { evictions, holds, problems, recorded }: EvictOutcome,
  { input }: World,
): SectionOutcome<'evictions'> => ({
  ...noOutcome,
  holds,
  problems,
  documents: directoryOf(
    'evictions',
    recorded.map((eviction) => ({ name: eviction.metadata.name, document: objectDocument(eviction) })),
    input.digest,
  ),
  section: evictions,
  digested: () => evictions,
  // The binding that an eviction moves is a placement's.
  starts: false,
});
