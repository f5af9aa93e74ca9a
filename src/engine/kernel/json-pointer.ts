/** The unescaped tokens of a JSON pointer (RFC 6901); none for the empty one. */
export const pointerTokens = (pointer: string): string[] => pointer.split('/').slice(1).map(unescaped);

/** A name, escaped for a JSON pointer. */
export const pointerToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');
