/** C0 except tab and line feed, DEL, C1, and invisible characters and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are looked for
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Escapes text from outside (members, git servers, file names, authors of commits) for display: an escape sequence could move the
 * cursor, overwrite lines or set the clipboard of a terminal. Each such character becomes `\x1b` or `\u202e`.
 */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
