import { canonicalJson } from '../../kernel/canonical-json.ts';
import { matchesSelector } from '../../kernel/selector.ts';
import type { PodClass, PodTerm, SpreadTerm } from './pod-class.ts';

/** How many pods of a kind run in each domain of a topology key. */
export interface TopologyGroup {
  readonly topologyKey: string;
  readonly counts: Map<string, number>;
  /** Pods that it counts. */
  readonly counts_: (cls: PodClass) => boolean;
  /** Of spread constraints: the class whose nodes count; undefined = all nodes do. */
  readonly nodesOf: { readonly cls: PodClass; readonly affinity: boolean; readonly taints: boolean } | undefined;
  total: number;
}

/** The groups that a class of pods has to do with. */
export interface ClassTopology {
  /** Groups that count it. */
  readonly counted: readonly TopologyGroup[];
  readonly spread: readonly {
    readonly term: SpreadTerm;
    readonly group: TopologyGroup;
    readonly countsItself: boolean;
  }[];
  readonly affinity: readonly { readonly group: TopologyGroup; readonly countsItself: boolean }[];
  /** Domains with a pod of these are closed to it: those it avoids, and those that avoid it. */
  readonly closed: readonly TopologyGroup[];
  readonly isFree: boolean;
}

export interface Topologies {
  readonly groups: readonly TopologyGroup[];
  readonly of: (cls: PodClass) => ClassTopology;
}

/** The groups of all constraints that any of the classes has. */
export function topologiesOf(classes: readonly PodClass[]): Topologies {
  const groups = new Map<string, TopologyGroup>();
  const known = (key: string, make: () => TopologyGroup): TopologyGroup => {
    const found = groups.get(key) ?? make();
    groups.set(key, found);
    return found;
  };
  const matching = (term: PodTerm): TopologyGroup =>
    known(`of ${termText(term)}`, () => newGroup(term, (cls) => isMeant(term, cls)));
  const spreadOver = (term: SpreadTerm, cls: PodClass): TopologyGroup => {
    const affinity = term.honorsAffinity && (cls.constraints.length > 0 || cls.nodeNames !== undefined);
    if (!affinity && !term.honorsTaints) return matching(term);
    const nodesOf = { cls, affinity, taints: term.honorsTaints };
    return known(`spread ${cls.id} ${termText(term)}`, () => ({
      ...newGroup(term, (other) => isMeant(term, other)),
      nodesOf,
    }));
  };
  /** Pods that avoid those of the term. */
  const owners = new Map<
    string,
    { readonly term: PodTerm; readonly ids: Set<number>; readonly group: TopologyGroup }
  >();
  for (const cls of classes)
    for (const term of cls.antiAffinity) {
      const text = termText(term);
      const entry = owners.get(text) ?? ownersOf(term);
      entry.ids.add(cls.id);
      owners.set(text, entry);
    }
  for (const [text, { group }] of owners) groups.set(`owners ${text}`, group);
  const drafts = classes.map((cls) => ({
    cls,
    spread: cls.spread.map((term) => ({ term, group: spreadOver(term, cls), countsItself: isMeant(term, cls) })),
    affinity: cls.affinity.map((term) => ({ group: matching(term), countsItself: isMeant(term, cls) })),
    closed: [
      ...cls.antiAffinity.map(matching),
      ...[...owners.values()].filter(({ term }) => isMeant(term, cls)).map(({ group }) => group),
    ],
  }));
  const all = [...groups.values()];
  const made = new Map(
    drafts.map(({ cls, spread, affinity, closed }): [number, ClassTopology] => {
      const counted = all.filter((group) => group.counts_(cls));
      const isFree = spread.length + affinity.length + closed.length === 0;
      return [cls.id, { counted, spread, affinity, closed, isFree }];
    }),
  );
  return { groups: all, of: (cls) => made.get(cls.id)! };
}

const newGroup = (term: PodTerm, counts: TopologyGroup['counts_']): TopologyGroup => ({
  topologyKey: term.topologyKey,
  counts: new Map(),
  counts_: counts,
  nodesOf: undefined,
  total: 0,
});

function ownersOf(term: PodTerm) {
  const ids = new Set<number>();
  return { term, ids, group: newGroup(term, (cls) => ids.has(cls.id)) };
}

const isMeant = ({ namespaces, selector }: PodTerm, cls: PodClass): boolean =>
  (namespaces === undefined || namespaces.has(cls.namespace)) && matchesSelector(selector, cls.labels);

const termText = ({ topologyKey, namespaces, selector }: PodTerm): string =>
  canonicalJson([topologyKey, namespaces ? [...namespaces].sort() : null, selector]);

/** Adds to a domain, or with −1 takes away. */
export function count(group: TopologyGroup, domain: string, by: 1 | -1): void {
  group.counts.set(domain, (group.counts.get(domain) ?? 0) + by);
  group.total += by;
}

/** What of other pods keeps a pod from a domain. */
export type TopologyConflict = 'anti-affinity' | 'affinity' | 'spread';

/** The domains that count for a spread constraint; undefined = another one can always be added, as host names where nodes are launched. */
export type DomainsOf = (spread: ClassTopology['spread'][number]) => ReadonlySet<string> | undefined;

/** What keeps a pod of the class from a domain. A domain that is undefined is that of a node without the label. */
export function conflictIn(
  topology: Pick<ClassTopology, 'closed' | 'affinity' | 'spread'>,
  domainAt: (topologyKey: string) => string | undefined,
  domainsOf: DomainsOf,
): TopologyConflict | undefined {
  for (const group of topology.closed) {
    const domain = domainAt(group.topologyKey);
    if (domain !== undefined && (group.counts.get(domain) ?? 0) > 0) return 'anti-affinity';
  }
  for (const { group, countsItself } of topology.affinity) {
    const domain = domainAt(group.topologyKey);
    if (domain === undefined) return 'affinity';
    // The first of pods that want to be together may be anywhere.
    if ((group.counts.get(domain) ?? 0) === 0 && !(group.total === 0 && countsItself)) return 'affinity';
  }
  for (const spread of topology.spread) {
    const domain = domainAt(spread.group.topologyKey);
    if (domain === undefined || !fitsSpread(spread, domain, domainsOf)) return 'spread';
  }
  return undefined;
}

/** Where another domain can be added the least count is 0 (core `topologygroup.go`). */
function fitsSpread(spread: ClassTopology['spread'][number], domain: string, domainsOf: DomainsOf): boolean {
  const { term, group, countsItself } = spread;
  let least = 0;
  const domains = domainsOf(spread);
  if (domains !== undefined && domains.size >= term.minDomains) {
    if (!domains.has(domain)) return false;
    least = Number.POSITIVE_INFINITY;
    for (const other of domains) least = Math.min(least, group.counts.get(other) ?? 0);
  }
  return (group.counts.get(domain) ?? 0) + (countsItself ? 1 : 0) - least <= term.maxSkew;
}
