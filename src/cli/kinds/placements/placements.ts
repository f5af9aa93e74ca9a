import type { Placement } from '../../../api/placement.ts';
import type { RecordedPlacement } from '../../../engine/input.ts';
import { isFulfilled } from '../../../engine/kernel/condition.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { suspendedAnnotation } from '../../../engine/pause/placement-pause.ts';
import { conditionOf } from '../../../report/condition-of.ts';
import { holdsOf } from '../../../report/holds-of.ts';
import { shortageOf } from '../../../report/shortage.ts';
import { waitsOfPlacement } from '../../../report/waits/waits.ts';
import { type KnownPlacement, knownPlacements } from '../../status/known-placements.ts';
import type { Status } from '../../status/open-status.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, deliveryConditions, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { placementPage } from './page.ts';

type Shown = KnownPlacement & { readonly object: Placement; readonly holds: Status['holds'] };

/** KubeFleet's columns (clusterresourceplacement_types.go), then the latest snapshot and on how many clusters it is available. */
export const placements: Listing = listing<Shown>({
  names: namesOfKind('placements'),
  clusterNames: ['clusterresourceplacements', 'clusterresourceplacement', 'crp', 'crps'],
  namespacedNames: ['resourceplacements', 'resourceplacement', 'rp', 'rps'],
  folders: ['placements'],
  isPlaced: true,
  conditionTypes: ['Scheduled', ...deliveryConditions],
  items: ({ record, holds }) =>
    knownPlacements(record).flatMap((known) => (known.object ? [{ ...known, object: known.object, holds }] : [])),
  describe: ({ name, namespace, object }) => ({ name, namespace, value: object }),
  page: placementPage,
  waits: ({ title }, status) => {
    const placement = knownPlacements(status.record).find((known) => known.title === title);
    return placement ? waitsOfPlacement(placement, status) : [];
  },
  placedBy: ({ object }) => ({ placement: object, applyStrategies: [object.spec.strategy.applyStrategy] }),
  columns: [
    { heading: 'GEN', cell: ({ object }) => object.metadata.generation },
    { heading: 'TYPE', wide: true, cell: ({ object }) => object.spec.policy.placementType },
    { heading: 'SCHEDULED', cell: ({ object }) => statusOf(object.status?.conditions, 'Scheduled') },
    { heading: 'SCHEDULED-GEN', cell: ({ object }) => generation(object, 'Scheduled') },
    {
      heading: 'WORK-SYNCHRONIZED',
      wide: true,
      cell: ({ object }) => statusOf(object.status?.conditions, 'WorkSynchronized'),
    },
    { heading: 'WORK-SYNCHRONIZED-GEN', wide: true, cell: ({ object }) => generation(object, 'WorkSynchronized') },
    { heading: 'AVAILABLE', cell: ({ object }) => statusOf(object.status?.conditions, 'Available') },
    { heading: 'AVAILABLE-GEN', cell: ({ object }) => generation(object, 'Available') },
    { heading: 'AGE', cell: ({ object, state }, now) => ageOf(object.metadata, startTimes(object, state), now) },
    { heading: 'SNAPSHOT', cell: ({ state }) => latestOf(state.resourceSnapshots)?.index },
    { heading: 'CLUSTERS', cell: ({ state }) => upOf(state) },
    { heading: 'REASON', cell: reasonOf },
    { heading: 'HELD', wide: true, cell: heldBy },
  ],
});

/** `Suspended, RolloutBudget (3)`: reasons of its holds, with the number of clusters unless the whole placement is held. */
function heldBy(placement: Shown): string | undefined {
  const { object, holds } = placement;
  const clusters = new Map<string, number>();
  if (object.metadata.annotations?.[suspendedAnnotation] !== undefined) clusters.set('Suspended', 0);
  for (const { subject, reason, count = subject.clusterName === undefined ? 0 : 1 } of holdsOf(placement, holds))
    clusters.set(reason, (clusters.get(reason) ?? 0) + count);
  const texts = [...clusters].map(([reason, count]) => (count > 0 ? `${reason} (${count})` : reason));
  return texts.length > 0 ? texts.join(', ') : undefined;
}

const generation = (object: Placement, type: string) =>
  conditionOf(object.status?.conditions, type)?.observedGeneration;

const startTimes = (object: Placement, { resourceSnapshots }: RecordedPlacement['state']) => [
  ...resourceSnapshots.map(({ createdAt }) => createdAt),
  ...timesOf(object.status?.conditions),
];

/** Why it is not on all clusters that it requires, with the command that shows more; otherwise the first condition that is not True. */
function reasonOf({ object, state, title }: Shown): string | undefined {
  if (shortageOf(state)) return `Not enough clusters: explain placement ${title}`;
  return object.status?.conditions?.find(({ status }) => status !== 'True')?.reason;
}

/** `2/3`: clusters on which it is available, or compared, of all that its policy requires. */
function upOf(state: RecordedPlacement['state']): string {
  const wanted = state.bindings.filter(({ state, deleting }) => state !== 'Unscheduled' && !deleting);
  const up = wanted.filter(({ conditions }) => isFulfilled(conditions));
  return `${up.length}/${Math.max(wanted.length, shortageOf(state)?.wanted ?? 0)}`;
}
