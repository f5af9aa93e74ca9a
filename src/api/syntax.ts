/** Texts that Kubernetes checks the shape of (apimachinery validation and resource.Quantity). */
const dnsLabel = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const subdomainPattern = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);
const labelPattern = new RegExp(`^${dnsLabel}$`);
const namePart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Characters of a name, and of the name of a namespace. */
export const longestSubdomain = 253;
export const longestDnsLabel = 63;

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

export const isLabelValue = (text: string): boolean => text === '' || (text.length <= 63 && namePart.test(text));
export const isIntOrPercent = (text: string): boolean => /^((100|[0-9]{1,2})%|[0-9]+)$/.test(text);

/** Edits between two words, for "did you mean": good enough up to the length of a field name. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const scored = candidates.map((candidate) => ({
    candidate,
    edits: distance(word.toLowerCase(), candidate.toLowerCase()),
  }));
  scored.sort((a, b) => a.edits - b.edits);
  const best = scored[0];
  return best && best.edits <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : undefined;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
