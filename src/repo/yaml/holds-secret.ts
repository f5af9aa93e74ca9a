/**
 * Whether a file may contain a Secret, so that its values must not be quoted. Decided from the text, since a malformed file has no
 * parsed kind. A kind that only a parser could resolve (anchor, alias, tag, escape, block scalar) counts as Secret, and so does a key
 * that may be an escaped `kind`, or `data` that is not of a ConfigMap: its kind may be mistyped or missing.
 */
export const holdsSecret = (text: string): boolean =>
  plainSecret.test(text) || hiddenKind.test(text) || hiddenKey.test(text) || count(text, data) > count(text, configMap);

const plainSecret = /\bkind\\?["']?\s*:?\s*\\?["']?Secret\b/i;
const hiddenKind = /\bkind["']?\s*:\s*(?:[&*!|>#]|["'][^"'\n]*\\)/;
const hiddenKey = /"[^"\n]*\\[xuU][^"\n]*"\s*:|(?:^|[\n{,])\s*\?\s|(?:^|[\n{,])\s*[&!][^\s:]*\s+["']?kind\b/;
const data = /\b(?:d|stringD)ata["']?\s*:/g;
const configMap = /\bkind\\?["']?\s*:\s*\\?["']?ConfigMap\b/g;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
