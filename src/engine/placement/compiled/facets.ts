import type { Member } from '../members.ts';

/** A part of the members that a policy reads. */
export interface Facet {
  /** With the name, which facet it is: those of the same kind and name say the same. */
  readonly kind: string;
  readonly name?: string;
  /** What it says of one member. */
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

/** Tells an absent value from an empty one. */
const present = (value: string | undefined): string => (value === undefined ? '' : `=${value}`);

export const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
