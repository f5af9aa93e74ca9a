import type { ClusterName } from '../../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../../api/placement.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import type { RecordEntry, SectionOutcome } from '../domain.ts';
import { overridesInUse } from '../overrides/in-use.ts';
import { overrideDocuments } from '../overrides/snapshots.ts';
import type { Move, PlacementTarget } from '../plan-document.ts';
import { recordPath } from '../record/documents.ts';
import type { World } from '../world.ts';
import type { DeliveredPlacements } from './deliver.ts';
import { deliveryProblems } from './delivery-problems.ts';
import { refusedPlacements, unreadPlacements } from './kept-documents.ts';
import { type PlacementOutcome, stateOf, wantedDigest } from './placement-outcome.ts';
import { removalHolds } from './removal-holds.ts';
import { stuckRemovals } from './stuck-removals.ts';
import { unknownContentHolds } from './unknown-contents.ts';

/** The outcome of all placements, including deleted ones. `runs`: as they will be recorded; they keep overrides in use. */
export function placementsOutcome(
  { staying, deleted }: DeliveredPlacements,
  runs: readonly StagedUpdateRun[],
  world: World,
): SectionOutcome<'placements'> {
  const { input, overrides, render } = world;
  const all = [...staying, ...deleted];
  const works = staying.map(({ work }) => work);
  const targetOf = targetReader(all);
  const section = staying.flatMap(({ planned }) => planned ?? []);
  const stuck = stuckRemovals({ ...input, works: all.map(({ work }) => work), targetOf });
  return {
    holds: [
      ...unknownContentHolds(works, input.fleet),
      ...all.flatMap(({ work }) => work.holds),
      ...removalHolds(input, targetOf),
      ...stuck.holds,
    ],
    wakes: [...works.flatMap(({ wakes }) => wakes), ...stuck.wakes],
    problems: works.flatMap((work) => [
      ...work.problems,
      ...deliveryProblems(work, { fleet: input.fleet, overrides, render }),
    ]),
    documents: [
      ...all.flatMap((outcome) => documentsOf(outcome, all.length, world)),
      ...refusedPlacements(all, world),
      ...unreadPlacements(all.length, world),
      ...overrideDocuments(overrides, overridesInUse(all.map(stateOf), runs)),
    ],
    approvals: [],
    targets: all.map(({ targets }) => targets),
    section,
    digested: () =>
      all.map((outcome) => `${placementKey(refOf(outcome.work.placement))} ${wantedDigest(outcome, input.digest)}`),
    starts: section.some(({ bindings }) => bindings.some(({ move }) => startsChange[move])),
  };
}

const startsChange: Readonly<Record<Move, boolean>> = {
  add: true,
  update: true,
  remove: true,
  keep: false,
  wait: false,
};

/** Searches on demand: few targets are looked up, of plans that have a million. */
function targetReader(outcomes: readonly PlacementOutcome[]) {
  return (cluster: ClusterName, placement: PlacementRef): PlacementTarget | undefined => {
    const key = placementKey(placement);
    return outcomes
      .find(({ work }) => placementKey(refOf(work.placement)) === key)
      ?.targets.find(({ clusterName }) => clusterName === cluster);
  };
}

function documentsOf({ work, documents }: PlacementOutcome, placements: number, { input }: World): RecordEntry[] {
  const root = recordPath('placements', placementKey(refOf(work.placement)), placements, input.digest);
  return documents.map(([path, document]) => [`${root}/${path}`, document]);
}
