import { labelOperators } from '../../api/label-operators.ts';
import type { LabelSelector } from '../../api/meta.ts';

export type Labels = Readonly<Record<string, string>>;

/** metav1.LabelSelector semantics: everything ANDed, empty matches all, `NotIn` matches an absent key. */
export function matchesSelector(selector: LabelSelector, labels: Labels | undefined): boolean {
  const has = (key: string): boolean => labels !== undefined && Object.hasOwn(labels, key);
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (!has(key) || labels?.[key] !== value) return false;
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const value = has(key) ? labels?.[key] : undefined;
    if (!labelOperators[operator].accepts(value, values ?? [])) return false;
  }
  return true;
}
