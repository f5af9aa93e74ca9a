/** The first `most` of many, and how many more there are: what is told must not grow with the fleet. */
export const someOf = (texts: readonly string[], most: number, between = ', '): string =>
  texts.length > most ? `${texts.slice(0, most).join(between)} and ${texts.length - most} more` : texts.join(between);

/** Up to five names, or four of more: one that is left out alone would be told in fewer words than that it is. */
export const fewOf = (names: readonly string[]): string => someOf(names, names.length > 5 ? 4 : 5);
