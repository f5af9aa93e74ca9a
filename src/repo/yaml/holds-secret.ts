/**
 * Whether a file may contain a Secret, so that its values must not be quoted. Decided from the text, since a malformed file has no
 * parsed kind. A kind that only a parser could resolve (anchor, alias, tag, escape, block scalar) counts as Secret, and so does a key
 * that may be an escaped `kind`.
 */
export const holdsSecret = (text: string): boolean =>
  plainSecret.test(text) || hiddenKind.test(text) || hiddenKey.test(text);

const plainSecret = /kind\\?["']?\s*:\s*\\?["']?Secret\b/;
const hiddenKind = /\bkind["']?\s*:\s*(?:[&*!|>#]|["'][^"'\n]*\\)/;
const hiddenKey = /"[^"\n]*\\[xuU][^"\n]*"\s*:|(?:^|[\n{,])\s*\?\s|(?:^|[\n{,])\s*[&!][^\s:]*\s+["']?kind\b/;
