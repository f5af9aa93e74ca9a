import { labelOperators } from '../../api/label-operators.ts';
import { isLabelValue, isQualifiedName } from '../../api/syntax.ts';
import { fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, forbiddenField, invalidField, notAmong, requiredField } from './cause.ts';

export const namePartRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Keys and values of labels (apimachinery validation, ValidateLabels). */
export const labelCauses = (labels: Fields, field: string): Cause[] =>
  Object.entries(labels).flatMap(([label, value]) => [
    ...(isQualifiedName(label) ? [] : [invalidField(field, label, namePartRule, `correct the key ${label}`)]),
    ...(isLabelValue(String(value)) ? [] : [invalidField(field, value, valueRule, `correct the value of ${label}`)]),
  ]);

const choices = Object.keys(labelOperators);
const takingValues = ['In', 'NotIn'];
const takingNone = ['Exists', 'DoesNotExist'];

/** Labels and expressions of a label selector (apimachinery validation, ValidateLabelSelector). */
export const selectorCauses = (selector: unknown, field: string): Cause[] =>
  !isFields(selector)
    ? []
    : [
        ...labelCauses(fieldsAt(selector, 'matchLabels'), `${field}.matchLabels`),
        ...listAt(selector, 'matchExpressions').flatMap((expression, index) =>
          expressionCauses(expression, `${field}.matchExpressions[${index}]`, choices),
        ),
      ];

/** Expressions of a node selector (core validation, ValidateNodeSelectorRequirement). */
export const nodeExpressionCauses = (expression: unknown, field: string): Cause[] =>
  expressionCauses(expression, field, [...choices, 'Gt', 'Lt']);

function expressionCauses(expression: unknown, field: string, operators: readonly string[]): Cause[] {
  const [key, operator, values] = [
    textAt(expression, 'key'),
    textAt(expression, 'operator'),
    listAt(expression, 'values'),
  ];
  return [
    ...(key === '' || isQualifiedName(key)
      ? []
      : [invalidField(`${field}.key`, key, namePartRule, 'write for example app.kubernetes.io/name')]),
    ...(operator === '' || operators.includes(operator) ? [] : [notAmong(`${field}.operator`, operator, operators)]),
    ...(takingValues.includes(operator) && values.length === 0
      ? [requiredField(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
      : []),
    ...(takingNone.includes(operator) && values.length > 0
      ? [
          {
            ...forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
            fix: 'remove them, or write In or NotIn',
          },
        ]
      : []),
  ];
}
