/** Names in a sentence: up to five, or four and how many more there are. What is told must not grow with the fleet. */
export const someOf = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 4).join(', ')} and ${names.length - 4} more` : names.join(', ');
