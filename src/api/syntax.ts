/** Syntax checks of Kubernetes (apimachinery validation and resource.Quantity). */
const dnsLabel = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const subdomainPattern = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);
const labelPattern = new RegExp(`^${dnsLabel}$`);
const namePart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Characters of a name, and of the name of a namespace. */
export const longestSubdomain = 253;
export const longestDnsLabel = 63;

/** Names of most objects (RFC 1123 subdomain). */
export const isSubdomain = (text: string): boolean => text.length <= longestSubdomain && subdomainPattern.test(text);

/** Names of namespaces (RFC 1123 label). */
export const isDnsLabel = (text: string): boolean => text.length <= longestDnsLabel && labelPattern.test(text);

/** `name` or `prefix/name`: keys of labels and taints. */
export function isQualifiedName(text: string): boolean {
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  if (parts.length > 1 || (parts.length === 1 && !isSubdomain(parts[0] ?? ''))) return false;
  return name.length <= 63 && namePart.test(name);
}

/** Values of labels, and of taints. */
export const isLabelValue = (text: string): boolean => text === '' || (text.length <= 63 && namePart.test(text));

/** Fixes for keys and values of labels and taints. */
export const labelKeyFix = 'write for example env or example.com/env';
export const labelValueFix =
  'write at most 63 letters, digits, -, _ and ., beginning and ending with a letter or digit';

/** `25%` up to `100%`, or a number that is not negative (KubeFleet's CRDs: `^((100|[0-9]{1,2})%|[0-9]+)$`). */
export const isIntOrPercent = (text: string): boolean => /^((100|[0-9]{1,2})%|[0-9]+)$/.test(text);

const zones = new Map<string, boolean>();

/** Whether `Intl` knows the IANA name. */
export function isTimeZone(zone: string): boolean {
  if (!zones.has(zone)) zones.set(zone, canShow(zone));
  return zones.get(zone)!;
}

function canShow(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }) !== undefined;
  } catch {
    return false;
  }
}

/** The index of a snapshot, parsed like Go's strconv.Atoi, which KubeFleet uses; undefined unless it is 0 or more. */
export function parseIndex(text: string): number | undefined {
  const index = /^\+?\d+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(index) ? index : undefined;
}

/**
 * The candidate that a mistyped word most likely means. Allows one edit in a short word and at most three in a long one, since a wrong
 * hint is worse than none. Words longer than any name are like nothing.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > longestSubdomain) return undefined;
  const most = Math.min(Math.max(Math.round(word.length / 4), 1), 3);
  let best: { readonly candidate: string; readonly edits: number } | undefined;
  for (const candidate of candidates) {
    // The difference in length is a lower bound for the edits. So no long candidate is compared.
    if (Math.abs(candidate.length - word.length) > most) continue;
    const edits = distance(word.toLowerCase(), candidate.toLowerCase(), most);
    if (edits <= most && (best === undefined || edits < best.edits)) best = { candidate, edits };
  }
  return best?.candidate;
}

/**
 * Number of inserted, removed, replaced or swapped letters (optimal string alignment distance); anything above `most` if it is more.
 * Only cells that few edits reach are computed, so that the time grows with the length and not with its square.
 */
function distance(a: string, b: string, most: number): number {
  const far = most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next: number[] = [];
    if (i <= most) next[0] = i;
    let least = next[0] ?? far;
    for (let j = Math.max(i - most, 1); j <= Math.min(i + most, b.length); j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : replaced;
      next[j] = Math.min((row[j] ?? far) + 1, (next[j - 1] ?? far) + 1, replaced, swapped);
      least = Math.min(least, next[j]!);
    }
    if (least > most) return far;
    before = row;
    row = next;
  }
  return row[b.length] ?? far;
}
