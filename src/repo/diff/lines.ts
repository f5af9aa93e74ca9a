/** Lines of context around a change, as `diff -u` has them. */
const context = 3;

/**
 * Pairs of lines that are compared, after equal ones at both ends: 2,000 rewritten lines. They take 16 MB and some 20 ms, and nothing
 * else runs meanwhile. Memory and time grow with the product, so a higher number needs another algorithm.
 */
const mostPairs = 4_000_000;

/** A unified diff of two texts without file headings; empty when they are equal. What differs too much is removed and added as a whole. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return '';
  const a = before === '' ? [] : before.trimEnd().split('\n');
  const b = after === '' ? [] : after.trimEnd().split('\n');
  const marked = merge(a, b);
  const near = new Set<number>();
  marked.forEach((line, at) => {
    if (line[0] !== ' ') for (let i = at - context; i <= at + context; i++) near.add(i);
  });
  const out: string[] = [];
  marked.forEach((line, at) => {
    if (!near.has(at)) return;
    if (at > 0 && !near.has(at - 1)) out.push('  …');
    out.push(line);
  });
  return out.join('\n');
}

/** Every line of both, marked. Equal head and tail are cut off first, which leaves little for manifests. */
function merge(a: readonly string[], b: readonly string[]): string[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return [
    ...a.slice(0, head).map((line) => `  ${line}`),
    ...mergeMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map((line) => `  ${line}`),
  ];
}

/** By the longest common subsequence. */
function mergeMiddle(left: readonly string[], right: readonly string[]): string[] {
  if (left.length * right.length > mostPairs)
    return [...left.map((line) => `- ${line}`), ...right.map((line) => `+ ${line}`)];
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i]![j] =
        left[i] === right[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  const middle: string[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      middle.push(`  ${left[i]}`);
      i++;
      j++;
    } else if (j >= right.length || (i < left.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      middle.push(`- ${left[i++]}`);
    else middle.push(`+ ${right[j++]}`);
  }
  return middle;
}
