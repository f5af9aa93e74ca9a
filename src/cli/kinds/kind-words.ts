import type { SectionRows } from '../../engine/plan-document.ts';

/** What people call a kind of the status branch, and which commands take it besides `get`. */
interface KindWords {
  readonly plural: string;
  readonly singular: string;
  /** Plural and singular of objects that are listed among these, where people have a word of their own for them. */
  readonly among?: readonly [plural: string, singular: string];
  /** Each object has a name and a page of its own. */
  readonly described: boolean;
  /** It has conditions, or states that count as such. */
  readonly awaited: boolean;
}

const described = { described: true, awaited: false };
const awaited = { described: true, awaited: true };
const listed = { described: false, awaited: false };

/** In a file without the listings: help texts and completion must not load the engine. */
export const kindWords = {
  placements: { plural: 'placements', singular: 'placement', ...awaited },
  bindings: { plural: 'bindings', singular: 'binding', ...awaited },
  clusters: { plural: 'clusters', singular: 'cluster', ...awaited },
  resourceSnapshots: { plural: 'snapshots', singular: 'snapshot', ...described },
  policySnapshots: { plural: 'policysnapshots', singular: 'policysnapshot', ...awaited },
  drift: { plural: 'drift', singular: 'drifted', ...listed },
  runs: { plural: 'runs', singular: 'run', ...awaited },
  approvals: { plural: 'approvals', singular: 'approval', among: ['gates', 'gate'], ...awaited },
  evictions: { plural: 'evictions', singular: 'eviction', ...awaited },
  upgrades: { plural: 'upgrades', singular: 'upgrade', ...awaited },
  versions: { plural: 'versions', singular: 'version', ...described },
  profiles: { plural: 'profiles', singular: 'profile', ...described },
  maintenance: { plural: 'maintenanceconfigurations', singular: 'maintenanceconfiguration', ...described },
  catalogs: { plural: 'versioncatalogs', singular: 'versioncatalog', ...described },
  nodes: { plural: 'nodes', singular: 'node', ...described },
  nodePools: { plural: 'nodepools', singular: 'nodepool', ...described },
  events: { plural: 'events', singular: 'event', ...listed },
  problems: { plural: 'problems', singular: 'problem', ...listed },
} as const satisfies SectionRows<KindWords>;

export type KindWord = keyof typeof kindWords;

/** The kinds of `all`: objects that users write or wait for, not those derived from them. */
export const kindsOfAll = [
  'placements',
  'clusters',
  'runs',
  'approvals',
  'evictions',
  'upgrades',
] as const satisfies readonly KindWord[];

const all: readonly KindWords[] = Object.values(kindWords);

/** Plurals, in the order of the listings. */
export const pluralsOfKinds: readonly string[] = all.flatMap(({ plural, among }) => [
  plural,
  ...(among?.slice(0, 1) ?? []),
]);

/** Singulars of the kinds that `describe` or `wait` takes. */
export const singularsOf = (command: 'described' | 'awaited'): readonly string[] =>
  all.flatMap((words) => (words[command] ? [words.singular, ...(words.among?.slice(1) ?? [])] : []));

/** `a, b or c`, or with another word between the last two. */
export const oneOfWords = (words: readonly string[], between = 'or'): string =>
  `${words.slice(0, -1).join(', ')} ${between} ${words.at(-1) ?? ''}`;

/** The first two names of a listing. */
export const namesOfKind = <K extends KindWord>(kind: K) => [kindWords[kind].plural, kindWords[kind].singular] as const;
