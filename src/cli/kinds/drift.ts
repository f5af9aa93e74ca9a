import type { Binding } from '../../api/placement-state.ts';
import { isWhole } from '../../engine/bindings/conditions/patch-details.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { type KnownPlacement, knownPlacements } from '../status/known-placements.ts';
import { namesOfKind } from './kind-words.ts';
import { ageOf, type Listing, listing } from './listing.ts';

/** One difference between what a member holds and what it should hold. */
interface Difference {
  readonly placement: string;
  readonly namespace: string | undefined;
  readonly cluster: string;
  readonly type: 'Drifted' | 'Diffed';
  readonly object: string;
  readonly path: string;
  readonly valueInMember?: string | undefined;
  readonly valueInHub?: string | undefined;
  readonly firstObserved: string | undefined;
  /** Field manager that made it, if known. */
  readonly manager?: string | undefined;
  /** It was repaired recently; repairs are reported for a while. */
  readonly repaired: boolean;
}

/** KubeFleet has these inside the status of a placement; a list of their own is easier to read. */
export const drift: Listing = listing<Difference>({
  names: [...namesOfKind('drift'), 'drifts', 'diffs'],
  folders: ['placements'],
  nameless: true,
  owners: ({ record }) => knownPlacements(record).map(({ title }) => title),
  items: ({ record }) =>
    knownPlacements(record).flatMap((placement) =>
      placement.state.bindings.flatMap((binding) => differences(placement, binding)),
    ),
  describe: (difference) => ({
    name: `${difference.cluster} ${difference.object} ${difference.path}`,
    namespace: difference.namespace,
    placement: difference.placement,
    value: difference,
  }),
  columns: [
    { heading: 'PLACEMENT', cell: ({ placement }) => placement },
    { heading: 'CLUSTER', cell: ({ cluster }) => cluster },
    { heading: 'TYPE', cell: ({ type }) => type },
    { heading: 'OBJECT', cell: ({ object }) => object },
    { heading: 'PATH', cell: ({ path }) => path },
    { heading: 'IN-MEMBER', cell: (found) => (isWhole(found) ? '(missing)' : short(found.valueInMember)) },
    { heading: 'IN-REPO', cell: ({ valueInHub }) => short(valueInHub) },
    { heading: 'BY', cell: ({ manager }) => manager },
    { heading: 'NOW', cell: ({ repaired }) => (repaired ? 'repaired' : 'differs') },
    { heading: 'SINCE', cell: ({ firstObserved }, now) => ageOf(undefined, [firstObserved], now) },
  ],
});

/** A value may be a whole object, which would push every other column off the screen; `describe` and `-o json` have all of it. */
const short = (value: string | undefined): string | undefined =>
  value === undefined || value.length <= 48 ? value : `${value.slice(0, 47)}…`;

function differences({ title, namespace }: KnownPlacement, binding: Binding): Difference[] {
  const { driftedPlacements = [], diffedPlacements = [], targetCluster: cluster } = binding;
  const found = [
    ...driftedPlacements.map((item) => ({
      item,
      type: 'Drifted' as const,
      details: item.observedDrifts,
      firstObserved: item.firstDriftedObservedTime,
    })),
    ...diffedPlacements.map((item) => ({
      item,
      type: 'Diffed' as const,
      details: item.observedDiffs,
      firstObserved: item.firstDiffedObservedTime,
    })),
  ];
  return found.flatMap(({ item, type, details, firstObserved }): Difference[] => {
    const object = describeRef(item);
    const common = { placement: title, namespace, cluster, type, object, firstObserved };
    // Without details the whole object differs: it is missing, or there are more differences than are listed.
    if (!details?.length) return [{ ...common, path: '/', repaired: false }];
    return details.map(({ path, valueInMember, valueInHub, manager, repaired }) => ({
      ...common,
      path,
      valueInMember,
      valueInHub,
      manager,
      repaired: repaired === true,
    }));
  });
}
