import { at, fieldsAt, listAt, textAt } from '../../engine/kernel/at.ts';

/** Whether a metav1.LabelSelector selects labels. An absent selector selects nothing, an empty one everything. */
export function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined || selector === null) return false;
  const wanted = Object.entries(fieldsAt(selector, 'matchLabels'));
  if (wanted.some(([key, value]) => labels[key] !== value)) return false;
  return listAt(selector, 'matchExpressions').every((expression) => fits(expression, labels));
}

/** One requirement of a label selector. */
function fits(expression: unknown, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[textAt(expression, 'key')];
  const values = listAt(expression, 'values').map(String);
  switch (at(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
