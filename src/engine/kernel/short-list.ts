/** The first `most` of many, and how many more there are: a message must not grow with the fleet. */
export const listUpTo = (texts: readonly string[], most: number, between = ', '): string =>
  texts.length > most ? `${texts.slice(0, most).join(between)} and ${texts.length - most} more` : texts.join(between);

/** Up to five names, or four of more: naming the fifth is shorter than `and 1 more`. */
export const shortList = (names: readonly string[]): string => listUpTo(names, names.length > 5 ? 4 : 5);
