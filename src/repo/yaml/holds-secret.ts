/**
 * Nothing of such a file is quoted anywhere. Decided from the text, since a malformed file has no parsed kind: a kind that stands
 * there plainly counts as it is read; one that only a parser could tell (an anchor, an alias, a tag, an escape, a block scalar)
 * counts as that of a Secret, and so does a key that could be `kind` in disguise.
 */
export const holdsSecret = (text: string): boolean =>
  plainSecret.test(text) || hiddenKind.test(text) || hiddenKey.test(text);

const plainSecret = /kind\\?["']?\s*:\s*\\?["']?Secret\b/;
const hiddenKind = /\bkind["']?\s*:\s*(?:[&*!|>#]|["'][^"'\n]*\\)/;
const hiddenKey = /"[^"\n]*\\[xuU][^"\n]*"\s*:|(?:^|[\n{,])\s*\?\s|(?:^|[\n{,])\s*[&!][^\s:]*\s+["']?kind\b/;
