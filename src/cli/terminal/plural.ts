/** `1 cluster`, `2 clusters`: for words that only need an `s`. */
export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
