import type { Taint } from '../../../api/member-cluster.ts';
import type { ClusterName } from '../../../api/meta.ts';
import { memoize } from '../../kernel/memoize.ts';
import { by } from '../../kernel/ordering.ts';
import type { Member } from '../members.ts';
import { taintText } from '../taint-text.ts';
import { addRow, type Bits, noRows } from './bits.ts';
import { getOrMake, type LabelColumn, labelColumn, type PropertyColumn, propertyColumn } from './columns.ts';
import { type DomainGroups, groupDomains } from './domain-groups.ts';
import { type Facet, own } from './facets.ts';
import { type SharedDecisions, shareDecisions } from './shared-decisions.ts';

/**
 * A fleet by columns: row = cluster in byte order of the names, column = label, property, taint. Columns are built when a policy
 * first needs them and kept as long as the index.
 */
export interface FleetIndex {
  readonly size: number;
  readonly members: readonly Member[];
  readonly rowOf: ReadonlyMap<ClusterName, number>;
  readonly eligible: Bits;
  /** Rows of the members for which a predicate is true. With a name, which must identify the predicate, it is memoized. */
  readonly rowsWhere: (predicate: (member: Member) => boolean, name?: string) => Bits;
  /** Each distinct taint with the rows that carry it. */
  readonly taints: readonly TaintRows[];
  /** Rows whose eligibility or its reason changes by time alone, soonest first. */
  readonly byNextChange: readonly number[];
  readonly label: (key: string) => LabelColumn;
  readonly property: (name: string) => PropertyColumn;
  /** Clusters grouped by their domains under these topology keys, in this order. */
  readonly domains: (keys: readonly string[]) => DomainGroups;
  /** A digest of one facet of all members. */
  readonly facetDigest: (facet: Facet, digest: (text: string) => string) => string;
  readonly shared: SharedDecisions;
}

export interface TaintRows {
  readonly taint: Taint;
  readonly rows: Bits;
}

/** Compiles a fleet once per member list. `members` may come in any order. */
export const compileFleet = memoize((members: readonly Member[]) => compile(members.toSorted(by(({ name }) => name))));

function compile(members: readonly Member[]): FleetIndex {
  const size = members.length;
  const labels = new Map<string, LabelColumn>();
  const properties = new Map<string, PropertyColumn>();
  const named = new Map<string, Bits>();
  const groups = new Map<string, DomainGroups>();
  const digests = new Map<string, string>();

  const label = (key: string): LabelColumn =>
    getOrMake(labels, key, () => labelColumn(members.map((member) => own(member.labels, key))));
  return {
    size,
    members,
    rowOf: new Map(members.map(({ name }, row) => [name, row])),
    eligible: rowsWhere(members, (member) => member.eligibility.eligible),
    rowsWhere: (predicate, name) =>
      name === undefined ? rowsWhere(members, predicate) : getOrMake(named, name, () => rowsWhere(members, predicate)),
    taints: taintRows(members),
    byNextChange: members
      .flatMap(({ eligibility }, row) => (eligibility.changesAt === undefined ? [] : [row]))
      .sort((a, b) => members[a]!.eligibility.changesAt! - members[b]!.eligibility.changesAt! || a - b),
    label,
    property: (name) =>
      getOrMake(properties, name, () => propertyColumn(members.map((member) => own(member.properties, name)))),
    domains: (keys) => getOrMake(groups, keys.join('\n'), () => groupDomains(size, keys.map(label))),
    facetDigest: (facet, digest) =>
      getOrMake(digests, `${facet.kind} ${facet.name}`, () => digest(members.map(facet.textOf).join('\n'))),
    shared: shareDecisions(members),
  };
}

function rowsWhere(members: readonly Member[], predicate: (member: Member) => boolean): Bits {
  const bits = noRows(members.length);
  members.forEach((member, row) => {
    if (predicate(member)) addRow(bits, row);
  });
  return bits;
}

function taintRows(members: readonly Member[]): TaintRows[] {
  const found = new Map<string, TaintRows>();
  members.forEach((member, row) => {
    for (const taint of member.taints) {
      const key = taintText(taint);
      addRow(getOrMake(found, key, () => ({ taint, rows: noRows(members.length) })).rows, row);
    }
  });
  return [...found.values()];
}
