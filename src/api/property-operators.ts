import { parseQuantity, type Quantity } from './quantity.ts';

/** Relations of two values, which can be added: `relations.below + relations.equal` is "at most". */
export const relations = { below: 1, equal: 2, above: 4 } as const;
const { below, equal, above } = relations;

/** An operator of a property selector's expression. */
export interface PropertyOperator {
  /** Allowed relations of the property to each listed value, in order. All must hold, so there are as many values as relations. */
  readonly relations: readonly number[];
  /** Text after the name of the property: `≥ 4`. */
  readonly text: (listed: readonly string[]) => string;
}

const comparison = (sign: string, relation: number): PropertyOperator => ({
  relations: [relation],
  text: (listed) => `${sign} ${listed.join(', ')}`,
});

/** One row per operator, used by the schema, validation, matching and explanations. */
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

/** Largest number of values of an operator. */
export const mostValues = Math.max(...Object.values(propertyOperators).map((operator) => operator.relations.length));

/** A quantity, and the allowed relations of a property to it. */
export interface Bound {
  readonly relation: number;
  readonly quantity: Quantity;
}

/** The bounds of an expression; undefined unless it has the number of values of its operator, each a quantity. */
export function boundsOf(operator: PropertyOperatorName, listed: readonly string[]): readonly Bound[] | undefined {
  const { relations: wanted } = propertyOperators[operator];
  const bounds = listed.flatMap((text, at) => {
    const quantity = parseQuantity(text);
    return quantity && at < wanted.length ? [{ relation: wanted[at]!, quantity }] : [];
  });
  return bounds.length === wanted.length && listed.length === wanted.length ? bounds : undefined;
}
