import { fieldsAt, listAt, textAt } from '../../engine/kernel/at.ts';

/** A metav1.LabelSelector as text: `app=web,tier in (a,b),!old`; empty for one that selects everything. */
export function selectorText(selector: unknown): string {
  const labels = Object.entries(fieldsAt(selector, 'matchLabels')).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = listAt(selector, 'matchExpressions').map((item) => {
    const [key, operator] = [textAt(item, 'key'), textAt(item, 'operator')];
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${listAt(item, 'values').join(',')})`;
  });
  return [...labels, ...expressions].join(',');
}
