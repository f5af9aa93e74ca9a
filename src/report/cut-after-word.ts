import { shortened } from '../engine/kernel/shortened.ts';

/** A longer text is cut after a word, and where it must be if it has no spaces. */
export function cutAfterWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(0, most).lastIndexOf(' ');
  return end > 0 ? `${text.slice(0, end).replace(/[,;:]$/, '')}…` : shortened(text, most);
}
