/** A text of at most `most` characters, 1 or more. The end of a longer text is replaced by an ellipsis. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
