import { parseQuantity, type Quantity } from './quantity.ts';

/** How a value may stand to another, to be added up: `relations.below + relations.equal` is "at most". */
export const relations = { below: 1, equal: 2, above: 4 } as const;
const { below, equal, above } = relations;

/** An operator of a property selector's expression. */
export interface PropertyOperator {
  /** How the property may stand to each listed value, in their order. All must hold, so there are as many values as relations. */
  readonly relations: readonly number[];
  /** What follows the name of the property: `≥ 4`. */
  readonly text: (listed: readonly string[]) => string;
}

const comparison = (sign: string, relation: number): PropertyOperator => ({
  relations: [relation],
  text: (listed) => `${sign} ${listed.join(', ')}`,
});

/** One row an operator: the schema, the rules of validation, what matches clusters and what explains it all read this table. */
export const propertyOperators = {
  Gt: comparison('>', above),
  Ge: comparison('≥', equal + above),
  Eq: comparison('=', equal),
  Ne: comparison('≠', below + above),
  Lt: comparison('<', below),
  Le: comparison('≤', below + equal),
} as const satisfies Readonly<Record<string, PropertyOperator>>;

export type PropertyOperatorName = keyof typeof propertyOperators;
export const propertyOperatorNames = Object.keys(propertyOperators) as PropertyOperatorName[];

/** As many values as any operator takes. */
export const mostValues = Math.max(...Object.values(propertyOperators).map((operator) => operator.relations.length));

/** A quantity, and how a property may stand to it. */
export interface Bound {
  readonly relation: number;
  readonly quantity: Quantity;
}

/** What an expression asks for; undefined where it does not have the values that its operator takes, each a quantity. */
export function boundsOf(operator: PropertyOperatorName, listed: readonly string[]): readonly Bound[] | undefined {
  const { relations: wanted } = propertyOperators[operator];
  const bounds = listed.flatMap((text, at) => {
    const quantity = parseQuantity(text);
    return quantity && at < wanted.length ? [{ relation: wanted[at]!, quantity }] : [];
  });
  return bounds.length === wanted.length && listed.length === wanted.length ? bounds : undefined;
}
