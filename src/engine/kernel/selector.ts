import type { LabelSelector } from '../../api/meta.ts';

export type Labels = Readonly<Record<string, string>>;

/** metav1.LabelSelector semantics: everything ANDed, empty matches all, `NotIn` matches an absent key. */
export function matchesSelector(selector: LabelSelector, labels: Labels | undefined): boolean {
  const has = (key: string): boolean => labels !== undefined && Object.hasOwn(labels, key);
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (!has(key) || labels?.[key] !== value) return false;
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const listed = has(key) && (values ?? []).includes(labels?.[key] as string);
    const holds =
      operator === 'In' ? listed : operator === 'NotIn' ? !listed : operator === 'Exists' ? has(key) : !has(key);
    if (!holds) return false;
  }
  return true;
}
