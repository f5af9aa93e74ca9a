import { error, type Issue } from '../issue.ts';
import { labelOperators } from '../label-operators.ts';
import type { LabelSelector } from '../meta.ts';
import { isLabelValue, isQualifiedName, labelKeyFix, labelValueFix } from '../syntax.ts';

/** Label selectors that Kubernetes refuses. */
export function selectorIssues(selector: LabelSelector | undefined, path: Issue['path']): Issue[] {
  const issues: Issue[] = [];
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {})) {
    if (!isQualifiedName(key))
      issues.push(error('invalid-label', [...path, 'matchLabels', key], `${key} is not a label key`, labelKeyFix));
    if (!isLabelValue(value))
      issues.push(
        error('invalid-label', [...path, 'matchLabels', key], `"${value}" is not a label value`, labelValueFix),
      );
  }
  (selector?.matchExpressions ?? []).forEach(({ key, operator, values }, at) => {
    const here = [...path, 'matchExpressions', at];
    const count = values?.length ?? 0;
    const needs = labelOperators[operator].takesValues;
    if (!isQualifiedName(key))
      issues.push(error('invalid-label', [...here, 'key'], `${key} is not a label key`, labelKeyFix));
    if (needs && count === 0)
      issues.push(error('invalid-selector', here, `${operator} needs values`, 'add values, or use Exists'));
    if (!needs && count > 0)
      issues.push(error('invalid-selector', here, `${operator} does not allow values`, 'remove values, or use In'));
    (values ?? []).forEach((value, index) => {
      if (!isLabelValue(value))
        issues.push(
          error('invalid-label', [...here, 'values', index], `"${value}" is not a label value`, labelValueFix),
        );
    });
  });
  return issues;
}
