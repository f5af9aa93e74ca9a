import { printable } from '../api/printable.ts';

/** Escapes text of files for Markdown: no mentions, no HTML, no end of a list or table. */
export const markdownText = (text: string): string =>
  printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('@', '@\u200b')
    .replace(/\s+/g, ' ')
    .replace(/([\\`*_[\]|])/g, '\\$1');
