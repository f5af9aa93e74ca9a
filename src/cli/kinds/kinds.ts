import { nearest } from '../../api/syntax.ts';
import { defaultHistory } from '../status/read-events.ts';
import { unknownName } from '../terminal/unknown-name.ts';
import { approvals } from './approvals/approvals.ts';
import { bindings } from './bindings/bindings.ts';
import { clusters } from './clusters/clusters.ts';
import { drift } from './drift.ts';
import { events } from './events.ts';
import { evictions } from './evictions.ts';
import { type KindWord, kindsOfAll, pluralsOfKinds } from './kind-words.ts';
import type { Listing, Row } from './listing.ts';
import { nodePools, nodes } from './nodes/nodes.ts';
import { placements } from './placements/placements.ts';
import { problems } from './problems.ts';
import { runs } from './runs/runs.ts';
import { policySnapshots, resourceSnapshots } from './snapshots/snapshots.ts';
import { catalogs } from './upgrade-settings/catalogs.ts';
import { maintenance } from './upgrade-settings/maintenance.ts';
import { profiles } from './upgrade-settings/profiles.ts';
import { upgrades } from './upgrades/upgrades.ts';
import { versions } from './versions.ts';

/** A kind that the command line names. */
export interface KindMeant {
  readonly listing: Listing;
  /** KubeFleet's names mean one scope only: `crp` lists no ResourcePlacement. */
  readonly isMeant: (row: Row) => boolean;
}

const listingsByKind = (history: number) =>
  ({
    placements,
    bindings,
    clusters,
    resourceSnapshots,
    policySnapshots,
    drift,
    runs,
    approvals,
    evictions,
    upgrades,
    versions,
    profiles,
    maintenance,
    catalogs,
    nodes,
    nodePools,
    events: events(history),
    problems,
  }) satisfies Readonly<Record<KindWord, Listing>>;

const listings = (history: number): readonly Listing[] => Object.values(listingsByKind(history));

const whole = (listing: Listing): KindMeant => ({ listing, isMeant: () => true });

/** Plurals, for help texts. */
export const kindNames: readonly string[] = pluralsOfKinds;

/** Condition types of all kinds. */
export const allConditionTypes: readonly string[] = [
  ...new Set(listings(defaultHistory).flatMap(({ conditionTypes = [] }) => conditionTypes)),
];

/** The kinds that a word means, each once: one, several with commas between, `all` among them. Errors: those of `kindMeant`. */
export function kindsMeant(word: string, history: number): readonly [KindMeant, ...KindMeant[]] {
  const known = ['all', ...kindNames];
  const meant = word
    .split(',')
    .flatMap((one) =>
      one.toLowerCase() === 'all'
        ? kindsOfAll.map((kind) => whole(listingsByKind(history)[kind]))
        : [kindMeant(one, history, known)],
    );
  const [first, ...others] = [...Map.groupBy(meant, ({ listing }) => listing.names[0]).values()].map(
    (same): KindMeant => ({ listing: same[0]!.listing, isMeant: (row) => same.some(({ isMeant }) => isMeant(row)) }),
  );
  return [first!, ...others];
}

/** The kind that a word means: plural, singular, KubeFleet's name or its short name. Errors: CliError with the nearest. */
export function kindMeant(word: string, history: number = defaultHistory, known = kindNames): KindMeant {
  const wanted = word.toLowerCase().split('.')[0]!;
  for (const listing of listings(history)) {
    if (listing.names.includes(wanted)) return whole(listing);
    if (listing.clusterNames?.includes(wanted))
      return { listing, isMeant: ({ namespace, isOurs }) => namespace === undefined && !isOurs };
    if (listing.namespacedNames?.includes(wanted))
      return { listing, isMeant: ({ namespace }) => namespace !== undefined };
  }
  throw unknownName({ what: 'kind', name: word, known });
}

/** The plural of the kind that a word is or most likely stands for. */
export function kindLike(word: string): string | undefined {
  const all = listings(defaultHistory);
  const name = nearest(
    word,
    all.flatMap(({ names }) => names),
  );
  return all.find(({ names }) => name !== undefined && names.includes(name))?.names[0];
}
