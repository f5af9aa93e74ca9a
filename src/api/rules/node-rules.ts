import type { PriceList } from '../gitfleet.ts';
import { error, type Issue, warning } from '../issue.ts';
import type { InstanceCatalog } from '../nodes/instance-catalog.ts';
import type { NodeDisruption } from '../nodes/node-disruption.ts';
import { parseQuantity } from '../quantity.ts';
import { isIntOrPercent, isLabelValue, isQualifiedName, labelKeyFix, labelValueFix } from '../syntax.ts';
import { selectorIssues } from './selector-rules.ts';

type Path = Issue['path'];

/** Amounts and labels that cannot be read, and types and offerings that are listed twice. */
export function instanceCatalogIssues({ spec }: InstanceCatalog): Issue[] {
  const names = new Set<string>();
  return [
    ...selectorIssues(spec.clusterSelector, ['spec', 'clusterSelector']),
    ...(spec.instanceTypes.length === 0
      ? [
          warning(
            'unusable-type',
            ['spec', 'instanceTypes'],
            'it has no types: nothing can be launched, and nodes of every type are drifted',
            'list the types, or remove the catalog',
          ),
        ]
      : []),
    ...spec.instanceTypes.flatMap((type, at) => {
      const path = ['spec', 'instanceTypes', at];
      const isTwice = names.has(type.name);
      names.add(type.name);
      return [
        ...(isTwice
          ? [error('duplicate', [...path, 'name'], `the type ${type.name} is listed twice`, 'keep one of them')]
          : []),
        ...typeIssues(type, path),
        ...uselessTypeIssues(type, path),
      ];
    }),
  ];
}

type InstanceType = InstanceCatalog['spec']['instanceTypes'][number];

function typeIssues({ capacity, overhead = {}, labels = {}, offerings }: InstanceType, path: Path): Issue[] {
  const seen = new Set<string>();
  const twice = offerings.flatMap(({ capacityType, zones }, at) =>
    zones.flatMap((zone) => {
      const key = `${capacityType} in ${zone}`;
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      return [error('duplicate', [...path, 'offerings', at, 'zones'], `${key} is offered twice`, 'keep one of them')];
    }),
  );
  return [
    ...amountIssues(capacity, [...path, 'capacity']),
    ...amountIssues(overhead, [...path, 'overhead']),
    ...labelIssues(labels, [...path, 'labels']),
    ...twice,
  ];
}

const needed = ['cpu', 'memory', 'pods'];

/** Types of which no node is launched, or on which no pod fits. */
function uselessTypeIssues({ name, capacity, overhead = {}, offerings }: InstanceType, path: Path): Issue[] {
  const amount = (value: string | number | undefined): number =>
    parseQuantity(String(value ?? 0))?.number ?? Number.NaN;
  const lacking = needed.filter((resource) => capacity[resource] === undefined);
  const issue = (at: Path, message: string, fix: string): Issue => warning('unusable-type', at, message, fix);
  return [
    ...(lacking.length === 0
      ? []
      : [
          issue(
            [...path, 'capacity'],
            `the type ${name} has no ${lacking.join(' and no ')}: no pod that needs it fits`,
            `add ${lacking.join(' and ')} to capacity`,
          ),
        ]),
    ...Object.entries(overhead).flatMap(([resource, value]) =>
      lacking.includes(resource) ||
      !(amount(value) > 0) ||
      Number.isNaN(amount(capacity[resource])) ||
      amount(value) < amount(capacity[resource])
        ? []
        : [
            issue(
              [...path, 'overhead', resource],
              `the overhead of ${name} leaves no ${resource} to pods: ${value} of ${capacity[resource] ?? 0}`,
              'write less overhead, or more capacity',
            ),
          ],
    ),
    ...(offerings.length === 0
      ? [
          issue(
            [...path, 'offerings'],
            `the type ${name} has no offering: none can be launched, and nodes of it are drifted`,
            'add an offering, with available: false while it is sold out, or remove the type',
          ),
        ]
      : []),
  ];
}

const amountIssues = (amounts: Readonly<Record<string, string | number>>, path: Path): Issue[] =>
  Object.entries(amounts).flatMap(([name, value]) => {
    const quantity = parseQuantity(String(value));
    return quantity === undefined || quantity.number < 0
      ? [error('invalid-quantity', [...path, name], `"${value}" is not a quantity`, 'write for example 4 or 16Gi')]
      : [];
  });

const implied: ReadonlySet<string> = new Set([
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'karpenter.sh/capacity-type',
  'kubernetes.io/hostname',
]);

const labelIssues = (labels: Readonly<Record<string, string>>, path: Path): Issue[] =>
  Object.entries(labels).flatMap(([key, value]): Issue[] => {
    if (!isQualifiedName(key))
      return [error('invalid-label', [...path, key], `${key} is not a label key`, labelKeyFix)];
    if (!isLabelValue(value))
      return [error('invalid-label', [...path, key], `"${value}" is not a label value`, labelValueFix)];
    return implied.has(key)
      ? [error('field-not-allowed', [...path, key], `${key} follows from the offering`, `remove ${key}`)]
      : [];
  });

/** Prices that are listed twice with different values: which one counts would depend on their order. */
export function priceListIssues({ spec }: PriceList): Issue[] {
  const seen = new Map<string, number>();
  return [
    ...selectorIssues(spec.clusterSelector, ['spec', 'clusterSelector']),
    ...spec.prices.flatMap(({ instanceType, zone, capacityType, perHour }, at) => {
      const key = `${instanceType} ${capacityType}${zone === undefined ? '' : ` in ${zone}`}`;
      const before = seen.get(key);
      seen.set(key, perHour);
      return before === undefined || before === perHour
        ? []
        : [
            error(
              'duplicate',
              ['spec', 'prices', at],
              `${key} has two prices, ${before} and ${perHour}`,
              'keep one of them',
            ),
          ];
    }),
  ];
}

/** Limits of the fleet that cannot be read. Windows are checked with those of freezes. */
export function nodeDisruptionIssues({ budgets = [], waves = [] }: NodeDisruption): Issue[] {
  const path = ['spec', 'nodeDisruption'];
  return [
    ...budgets.flatMap(({ clusters, nodes, clusterSelector, reasons, schedule, duration, timeZone }, at) => {
      const here = [...path, 'budgets', at];
      const amounts = { clusters, nodes };
      return [
        ...(clusters === undefined && nodes === undefined
          ? [error('field-required', here, 'a budget limits clusters or nodes', 'add clusters or nodes')]
          : []),
        ...(['clusters', 'nodes'] as const).flatMap((field) => {
          const value = amounts[field];
          if (value === undefined || isIntOrPercent(String(value))) return [];
          const message = `"${value}" is neither a number of 0 or more nor a percentage`;
          return [error('invalid-int-or-percent', [...here, field], message, 'write for example "2" or "25%"')];
        }),
        ...((schedule === undefined) === (duration === undefined)
          ? []
          : [
              error(
                'field-required',
                here,
                "'schedule' must be set with 'duration'",
                schedule === undefined ? 'add schedule, or remove duration' : 'add duration, or remove schedule',
              ),
            ]),
        ...(reasons?.length === 0
          ? [
              warning(
                'no-use',
                [...here, 'reasons'],
                'an empty list of reasons: this budget limits nothing',
                'remove reasons for all of them, or list some',
              ),
            ]
          : []),
        ...(schedule === undefined && duration === undefined && reasons === undefined
          ? (['clusters', 'nodes'] as const)
              .filter((field) => /^0+%?$/.test(String(amounts[field] ?? '')))
              .map((field) =>
                warning(
                  'zero-budget',
                  [...here, field],
                  'this budget allows nothing, at any time',
                  'give it a schedule and a duration or reasons, or set the mode of its clusters to plan',
                ),
              )
          : []),
        ...(timeZone !== undefined && schedule === undefined
          ? [error('no-use', [...here, 'timeZone'], 'timeZone has no use without a schedule', 'remove timeZone')]
          : []),
        ...selectorIssues(clusterSelector, [...here, 'clusterSelector']),
      ];
    }),
    ...waves.flatMap((wave, at) => selectorIssues(wave, [...path, 'waves', at])),
  ];
}
