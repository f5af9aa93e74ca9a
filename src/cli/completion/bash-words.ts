/**
 * The words of a line that bash has split at every `=` and `:` (COMP_WORDBREAKS), and the beginning of the last word before the
 * part that bash replaces.
 */
export function bashWords(parts: readonly string[]): { readonly words: readonly string[]; readonly before: string } {
  const words: string[] = [];
  let before = '';
  let isOpen = false;
  for (const part of parts) {
    const isBreak = /^[=:]+$/.test(part);
    const last = words.at(-1);
    if (last !== undefined && (isBreak || (isOpen && part !== ''))) {
      words[words.length - 1] = last + part;
      before = isBreak ? last + part : last;
    } else {
      words.push(part);
      before = '';
    }
    isOpen = isBreak;
  }
  return { words, before };
}
