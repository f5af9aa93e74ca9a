/** A text for people: milliseconds of its instants are noise. */
export const wholeSeconds = (text: string): string => text.replaceAll(/(T\d\d:\d\d:\d\d)\.\d+Z/g, '$1Z');
