import { error, type Issue } from '../issue.ts';
import type { ClusterSelectorTerm } from '../placement.ts';
import { boundsOf, propertyOperators, relations } from '../property-operators.ts';
import { parseQuantity } from '../quantity.ts';
import { isQualifiedName, isSubdomain } from '../syntax.ts';

type Expression = NonNullable<ClusterSelectorTerm['propertySelector']>['matchExpressions'][number];

const resourcePrefix = 'resources.kubernetes-fleet.io/';

/** Property names that KubeFleet's webhook accepts (pkg/utils/validator/placement.go). */
export function propertyNameIssues(name: string, path: Issue['path']): Issue[] {
  if (name.startsWith(resourcePrefix)) {
    const match = /^(total|allocatable|available)-(.+)$/.exec(name.slice(resourcePrefix.length));
    if (match && isQualifiedName(match[2] ?? '')) return [];
    return [
      error(
        'invalid-property',
        path,
        `${name} is not a resource property`,
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
      `"${name}" is not a property name`,
      'write for example kubernetes-fleet.io/node-count',
    ),
  ];
}

/** Checks the number of values, that each is a quantity, and that the expressions on one property do not contradict each other. */
export function propertySelectorIssues(expressions: readonly Expression[], path: Issue['path']): Issue[] {
  const issues: Issue[] = [];
  expressions.forEach(({ name, operator, values }, at) => {
    const here = [...path, at];
    const needed = propertyOperators[operator].relations.length;
    issues.push(...propertyNameIssues(name, [...here, 'name']));
    if (values.length !== needed)
      issues.push(
        error(
          'invalid-property',
          [...here, 'values'],
          needed === 1 ? 'exactly one value is needed' : `exactly ${needed} values are needed`,
          `write for example values: [${Array.from({ length: needed }, (_, more) => `"${4 * (more + 1)}"`).join(', ')}]`,
        ),
      );
    values.forEach((value, index) => {
      if (parseQuantity(value)) return;
      const path = [...here, 'values', index];
      issues.push(
        error('invalid-quantity', path, `"${value}" is not a quantity`, 'write for example 4, 500m, 1.5 or 64Gi'),
      );
    });
  });
  if (issues.length === 0)
    for (const name of new Set(expressions.map((expression) => expression.name)))
      issues.push(...contradictions(name, expressions, path));
  return issues;
}

function contradictions(name: string, expressions: readonly Expression[], path: Issue['path']): Issue[] {
  const bounds = expressions
    .filter((expression) => expression.name === name)
    .flatMap(({ operator, values }) => boundsOf(operator, values) ?? [])
    .map(({ relation, quantity }) => ({ relation, strict: (relation & equal) === 0, value: quantity.nanos }));
  const refuse = (message: string): Issue[] => [
    error('contradiction', path, `${name}: ${message}, so no cluster can ever match`, 'correct or remove one of them'),
  ];
  const equals = [...new Set(bounds.filter(({ relation }) => relation === equal).map(({ value }) => value))];
  if (equals.length > 1) return refuse('two different Eq values');
  if (bounds.some(({ relation, value }) => relation === below + above && equals.includes(value)))
    return refuse('Eq and Ne of the same value');
  const lows = bounds.filter(({ relation }) => (relation & (below + above)) === above);
  const highs = bounds.filter(({ relation }) => (relation & (below + above)) === below);
  const holds = (value: number | bigint): boolean =>
    lows.every((low) => (low.strict ? value > low.value : value >= low.value)) &&
    highs.every((high) => (high.strict ? value < high.value : value <= high.value));
  if (equals.length === 1 && !holds(equals[0]!)) return refuse('Eq is outside the bounds');
  const empty = lows.some((low) =>
    highs.some((high) => low.value > high.value || (low.value === high.value && (low.strict || high.strict))),
  );
  return empty ? refuse('the bounds exclude all values') : [];
}

const { below, equal, above } = relations;
