import type { Member } from '../members.ts';

/** A part of the members that a policy reads: one label, one property, all taints. */
export interface Facet {
  /** Identifies the facet together with the name. */
  readonly kind: string;
  readonly name?: string;
  /** The part of one member, as text. */
  readonly textOf: (member: Member) => string;
}

export const labelFacet = (name: string): Facet => ({
  kind: 'label',
  name,
  textOf: ({ labels }) => present(own(labels, name)),
});

export const propertyFacet = (name: string): Facet => ({
  kind: 'property',
  name,
  textOf: ({ properties }) => present(own(properties, name)),
});

/** Distinguishes an absent value from an empty one. */
const present = (value: string | undefined): string => (value === undefined ? '' : `=${value}`);

export const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
