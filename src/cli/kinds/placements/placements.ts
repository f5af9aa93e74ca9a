import type { Placement } from '../../../api/placement.ts';
import type { RecordedPlacement } from '../../../engine/input.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import { conditionOf } from '../../../report/condition-of.ts';
import { holdsOf } from '../../../report/holds-of.ts';
import { waitsOfPlacement } from '../../../report/waits/waits.ts';
import { type KnownPlacement, knownPlacements } from '../../status/known-placements.ts';
import { lastGoodReason } from '../../status/last-good.ts';
import type { Status } from '../../status/open-status.ts';
import { withAnswers } from '../../status/refused-text.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, type Column, deliveryConditions, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { placementPage } from './page.ts';
import { reasonOf, snapshotsOf, upOf } from './reason.ts';

type Shown = KnownPlacement & { readonly object: Placement; readonly status: Status };

/** Clusters, snapshots and the reason of what is missing; KubeFleet's columns (clusterresourceplacement_types.go) are wide. */
export const placements: Listing = listing<Shown>({
  names: namesOfKind('placements'),
  clusterNames: ['clusterresourceplacements', 'clusterresourceplacement', 'crp', 'crps'],
  namespacedNames: ['resourceplacements', 'resourceplacement', 'rp', 'rps'],
  folders: ['placements', 'runs'],
  isPlaced: true,
  conditionTypes: ['Scheduled', ...deliveryConditions],
  items: (status) =>
    knownPlacements(status.record).flatMap((known) =>
      known.object ? [{ ...known, object: known.object, status }] : [],
    ),
  describe: ({ name, namespace, object }) => ({ name, namespace, value: object }),
  page: placementPage,
  waits: ({ title }, status) => {
    const placement = knownPlacements(status.record).find((known) => known.title === title);
    return placement ? waitsOfPlacement(placement, withAnswers(status)) : [];
  },
  placedBy: ({ object }) => ({ placement: object, applyStrategies: [object.spec.strategy.applyStrategy] }),
  columns: [
    { heading: 'GEN', wide: true, cell: ({ object }) => object.metadata.generation },
    { heading: 'TYPE', wide: true, cell: ({ object }) => object.spec.policy.placementType },
    wideCondition('Scheduled', 'SCHEDULED'),
    wideGeneration('Scheduled', 'SCHEDULED-GEN'),
    wideCondition('WorkSynchronized', 'WORK-SYNCHRONIZED'),
    wideGeneration('WorkSynchronized', 'WORK-SYNCHRONIZED-GEN'),
    wideCondition('Available', 'AVAILABLE'),
    wideGeneration('Available', 'AVAILABLE-GEN'),
    { heading: 'CLUSTERS', cell: ({ state }) => upOf(state) },
    { heading: 'SNAPSHOT', cell: (placement) => snapshotsOf(placement, placement.status) },
    { heading: 'REASON', cell: reasonOrLastGood },
    { heading: 'HELD', wide: true, cell: heldBy },
    { heading: 'AGE', cell: ({ object, state }, now) => ageOf(object.metadata, startTimes(object, state), now) },
  ],
});

/** What is as desired may be so in an earlier version, since a file is not valid. */
function reasonOrLastGood(placement: Shown): string | undefined {
  const { object, status } = placement;
  return reasonOf(placement, status) ?? lastGoodReason(status, { placement: object });
}

/** `Suspended, RolloutBudget (3)`: reasons of its holds, with the number of clusters unless the whole placement is held. */
function heldBy(placement: Shown): string | undefined {
  const { object, status } = placement;
  const clusters = new Map<string, number>();
  if (object.metadata.annotations?.[suspendedAnnotation] !== undefined) clusters.set('Suspended', 0);
  for (const { subject, reason, count = subject.clusterName === undefined ? 0 : 1 } of holdsOf(placement, status.holds))
    clusters.set(reason, (clusters.get(reason) ?? 0) + count);
  const texts = [...clusters].map(([reason, count]) => (count > 0 ? `${reason} (${count})` : reason));
  return texts.length > 0 ? texts.join(', ') : undefined;
}

function wideCondition(type: string, heading: string): Column<Shown> {
  return { heading, wide: true, cell: ({ object }) => statusOf(object.status?.conditions, type) };
}

function wideGeneration(type: string, heading: string): Column<Shown> {
  return {
    heading,
    wide: true,
    cell: ({ object }) => conditionOf(object.status?.conditions, type)?.observedGeneration,
  };
}

const startTimes = (object: Placement, { resourceSnapshots }: RecordedPlacement['state']) => [
  ...resourceSnapshots.map(({ createdAt }) => createdAt),
  ...timesOf(object.status?.conditions),
];
