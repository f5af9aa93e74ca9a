/** C0 but tab and line feed, DEL, C1, and the characters that turn the direction of text or show nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are looked for
const unprintable = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text from outside (members, git servers, file names, authors of commits) as it may be shown: an escape sequence could move the
 * cursor, rewrite lines above or set the clipboard of a terminal. Each such character is written as `\x1b` or `\u202e`.
 */
export const printable = (text: string): string =>
  text.replace(unprintable, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
