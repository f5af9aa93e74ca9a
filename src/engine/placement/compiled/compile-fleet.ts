import type { Taint } from '../../../api/member-cluster.ts';
import type { ClusterName } from '../../../api/meta.ts';
import { onceFor } from '../../kernel/once-for.ts';
import { by } from '../../kernel/ordering.ts';
import type { Member } from '../members.ts';
import { taintText } from '../taint-text.ts';
import { addRow, type Bits, noRows } from './bits.ts';
import { type LabelColumn, labelColumn, type PropertyColumn, propertyColumn, remembered } from './columns.ts';
import { type DomainGroups, groupDomains } from './domain-groups.ts';
import { type SharedDecisions, shareDecisions } from './shared-decisions.ts';

/**
 * A fleet turned by ninety degrees: row = cluster in byte order of the names, column = label, property, taint. Columns are
 * made when the first policy asks for them and kept as long as the index.
 */
export interface FleetIndex {
  readonly size: number;
  readonly members: readonly Member[];
  readonly rowOf: ReadonlyMap<ClusterName, number>;
  readonly eligible: Bits;
  /** Each distinct taint with the rows that carry it. */
  readonly taints: readonly TaintRows[];
  /** Rows whose eligibility or its reason changes by time alone, soonest first. */
  readonly restless: readonly number[];
  readonly label: (key: string) => LabelColumn;
  readonly property: (name: string) => PropertyColumn;
  /** Rows on which the namespace exists or may exist. */
  readonly namespace: (name: string) => Bits;
  /** Clusters grouped by their domains under these topology keys, in this order. */
  readonly domains: (keys: readonly string[]) => DomainGroups;
  /** A digest of all that one facet says about the fleet. */
  readonly facetDigest: (facet: Facet, digest: (text: string) => string) => string;
  readonly shared: SharedDecisions;
}

export interface TaintRows {
  readonly taint: Taint;
  readonly rows: Bits;
}

/** A part of the fleet that a policy reads. */
export type Facet =
  | { readonly kind: 'names' | 'eligibility' | 'taints' }
  | { readonly kind: 'label' | 'property' | 'namespace'; readonly name: string };

/** Compiles a fleet once per member list. `members` may come in any order. */
export const compileFleet = onceFor((members: readonly Member[]) => compile(members.toSorted(by(({ name }) => name))));

function compile(members: readonly Member[]): FleetIndex {
  const size = members.length;
  const labels = new Map<string, LabelColumn>();
  const properties = new Map<string, PropertyColumn>();
  const namespaces = new Map<string, Bits>();
  const groups = new Map<string, DomainGroups>();
  const digests = new Map<string, string>();

  const label = (key: string): LabelColumn =>
    remembered(labels, key, () => labelColumn(members.map((member) => own(member.labels, key))));
  return {
    size,
    members,
    rowOf: new Map(members.map(({ name }, row) => [name, row])),
    eligible: rowsWhere(members, (member) => member.eligibility.eligible),
    taints: taintRows(members),
    restless: members
      .flatMap(({ eligibility }, row) => (eligibility.changesAt === undefined ? [] : [row]))
      .sort((a, b) => members[a]!.eligibility.changesAt! - members[b]!.eligibility.changesAt! || a - b),
    label,
    property: (name) =>
      remembered(properties, name, () => propertyColumn(members.map((member) => own(member.properties, name)))),
    namespace: (name) => remembered(namespaces, name, () => rowsWhere(members, (member) => mayHold(member, name))),
    domains: (keys) => remembered(groups, keys.join('\n'), () => groupDomains(size, keys.map(label))),
    facetDigest: (facet, digest) =>
      remembered(digests, 'name' in facet ? `${facet.kind} ${facet.name}` : facet.kind, () =>
        digest(members.map((member) => facetText(facet, member)).join('\n')),
      ),
    shared: shareDecisions(members),
  };
}

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const mayHold = (member: Member, namespace: string): boolean => member.namespaces?.has(namespace) ?? true;

function rowsWhere(members: readonly Member[], claim: (member: Member) => boolean): Bits {
  const bits = noRows(members.length);
  members.forEach((member, row) => {
    if (claim(member)) addRow(bits, row);
  });
  return bits;
}

function taintRows(members: readonly Member[]): TaintRows[] {
  const found = new Map<string, TaintRows>();
  members.forEach((member, row) => {
    for (const taint of member.taints) {
      const key = taintText(taint);
      addRow(remembered(found, key, () => ({ taint, rows: noRows(members.length) })).rows, row);
    }
  });
  return [...found.values()];
}

function facetText(facet: Facet, member: Member): string {
  switch (facet.kind) {
    case 'names':
      return member.name;
    case 'eligibility':
      return member.eligibility.eligible ? '' : member.eligibility.reason;
    case 'taints':
      return member.taints.map(taintText).join(' ');
    case 'label':
      return present(own(member.labels, facet.name));
    case 'property':
      return present(own(member.properties, facet.name));
    case 'namespace':
      return mayHold(member, facet.name) ? '' : '-';
  }
}

/** Tells an absent value from an empty one. */
const present = (value: string | undefined): string => (value === undefined ? '' : `=${value}`);
