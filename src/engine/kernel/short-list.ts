/** The first `most` of many, and how many more there are: a message must not grow with the fleet. */
export const listUpTo = (texts: readonly string[], most: number, between = ', '): string =>
  firstOf(texts.slice(0, most), texts.length, between);

/** `first`: the first of so many. */
export const firstOf = (first: readonly string[], count: number, between = ', '): string =>
  `${first.join(between)}${count > first.length ? ` and ${count - first.length} more` : ''}`;

/** Up to five names, or four of more: naming the fifth is shorter than `and 1 more`. */
export const shortList = (names: readonly string[]): string => listUpTo(names, names.length > 5 ? 4 : 5);
