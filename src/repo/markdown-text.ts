import { printable } from '../api/printable.ts';

/** Text of files as Markdown: it must not mention people, embed HTML, or break out of a list or a table. */
export const markdownText = (text: string): string =>
  printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '@\u200b')
    .replace(/\s+/g, ' ')
    .replace(/([\\`*_[\]|])/g, '\\$1');
