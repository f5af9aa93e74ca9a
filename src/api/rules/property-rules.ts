import { error, type Issue } from '../issue.ts';
import type { ClusterSelectorTerm } from '../placement.ts';
import { parseQuantity } from '../quantity.ts';
import { isQualifiedName, isSubdomain } from '../syntax.ts';

type Expression = NonNullable<ClusterSelectorTerm['propertySelector']>['matchExpressions'][number];

const resourcePrefix = 'resources.kubernetes-fleet.io/';

/** Property names as KubeFleet's webhook takes them (pkg/utils/validator/placement.go). */
export function propertyNameIssues(name: string, path: Issue['path']): Issue[] {
  if (name.startsWith(resourcePrefix)) {
    const match = /^(total|allocatable|available)-(.+)$/.exec(name.slice(resourcePrefix.length));
    if (match && isQualifiedName(match[2] ?? '')) return [];
    return [
      error(
        'invalid-property',
        path,
        `${name} is no resource property`,
        `write ${resourcePrefix}total-cpu, allocatable-… or available-…`,
      ),
    ];
  }
  const [first = '', ...rest] = name.split('/');
  if ((isSubdomain(first) || isQualifiedName(first)) && rest.every(isQualifiedName)) return [];
  return [
    error(
      'invalid-property',
      path,
      `"${name}" is no property name`,
      'write for example kubernetes-fleet.io/node-count',
    ),
  ];
}

/** One value, a quantity; and no two expressions on one property that can never both hold. */
export function propertySelectorIssues(expressions: readonly Expression[], path: Issue['path']): Issue[] {
  const issues: Issue[] = [];
  expressions.forEach(({ name, values }, at) => {
    const here = [...path, at];
    issues.push(...propertyNameIssues(name, [...here, 'name']));
    if (values.length !== 1)
      issues.push(
        error(
          'invalid-property',
          [...here, 'values'],
          'exactly one value is needed',
          'write for example values: ["4"]',
        ),
      );
    values.forEach((value, index) => {
      if (parseQuantity(value)) return;
      const path = [...here, 'values', index];
      issues.push(
        error('invalid-quantity', path, `"${value}" is no quantity`, 'write for example 4, 500m, 1.5 or 64Gi'),
      );
    });
  });
  if (issues.length === 0)
    for (const name of new Set(expressions.map((expression) => expression.name)))
      issues.push(...contradictions(name, expressions, path));
  return issues;
}

function contradictions(name: string, expressions: readonly Expression[], path: Issue['path']): Issue[] {
  const of = (...operators: Expression['operator'][]) =>
    expressions
      .filter((one) => one.name === name && operators.includes(one.operator))
      .map(({ operator, values }) => ({ operator, value: parseQuantity(values[0]!)!.nanos }));
  const equals = [...new Set(of('Eq').map(({ value }) => value))];
  const refuse = (message: string): Issue[] => [
    error('contradiction', path, `${name}: ${message}, so no cluster can ever match`, 'correct or remove one of them'),
  ];
  if (equals.length > 1) return refuse('two different Eq');
  if (of('Ne').some(({ value }) => equals.includes(value))) return refuse('Eq and Ne of the same value');
  const lows = of('Gt', 'Ge');
  const highs = of('Lt', 'Le');
  const holds = (value: number | bigint): boolean =>
    lows.every((low) => (low.operator === 'Gt' ? value > low.value : value >= low.value)) &&
    highs.every((high) => (high.operator === 'Lt' ? value < high.value : value <= high.value));
  if (equals.length === 1 && !holds(equals[0]!)) return refuse('Eq is outside the bounds');
  const low = lows.reduce<(typeof lows)[number] | undefined>(
    (best, one) =>
      !best || one.value > best.value || (one.value === best.value && one.operator === 'Gt') ? one : best,
    undefined,
  );
  const high = highs.reduce<(typeof highs)[number] | undefined>(
    (best, one) =>
      !best || one.value < best.value || (one.value === best.value && one.operator === 'Lt') ? one : best,
    undefined,
  );
  if (!low || !high) return [];
  const empty =
    low.value > high.value || (low.value === high.value && (low.operator === 'Gt' || high.operator === 'Lt'));
  return empty ? refuse('the bounds leave nothing') : [];
}
