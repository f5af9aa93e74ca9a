import { at, listAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, forbiddenField, invalidField, notAmong, requiredField } from './cause.ts';
import { quantityOf } from './resource-causes.ts';

/** Bounds, metrics and behavior of a HorizontalPodAutoscaler (autoscaling validation, ValidateHorizontalPodAutoscaler). */
export const autoscalerCauses = ({ spec }: Fields): Cause[] => [
  ...boundsCauses(spec),
  ...listAt(spec, 'metrics').flatMap((metric, index) => metricCauses(metric, `spec.metrics[${index}]`)),
  ...['scaleUp', 'scaleDown'].flatMap((name) => scalingCauses(at(spec, 'behavior', name), `spec.behavior.${name}`)),
];

function boundsCauses(spec: unknown): Cause[] {
  const [least, most] = [at(spec, 'minReplicas'), at(spec, 'maxReplicas')];
  const isSwapped = typeof least === 'number' && typeof most === 'number' && most < least;
  const why = 'must be greater than or equal to `minReplicas`';
  return [
    ...(isSwapped ? [invalidField('spec.maxReplicas', most, why, 'raise it, or lower minReplicas')] : []),
    ...positiveCause(least, 'spec.minReplicas', 'must be greater than or equal to 1'),
    ...positiveCause(most, 'spec.maxReplicas', 'must be greater than 0'),
  ];
}

const positiveCause = (value: unknown, field: string, why: string): Cause[] =>
  typeof value === 'number' && value <= 0 ? [invalidField(field, value, why, 'write 1 or more')] : [];

/** Where metrics of each type are described. */
const sources: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

function metricCauses(metric: unknown, field: string): Cause[] {
  const type = textAt(metric, 'type');
  const source = sources[type];
  if (source === undefined) return [];
  const others = Object.values(sources).filter((name) => name !== source && isFields(at(metric, name)));
  return [
    ...(isFields(at(metric, source))
      ? targetCauses(at(metric, source, 'target'), `${field}.${source}.target`, type)
      : [requiredField(`${field}.${source}`, 'must populate information for the given metric source')]),
    ...others.map((name) => ({
      ...forbiddenField(`${field}.${name}`, 'must populate the given metric source only'),
      fix: 'remove it, or make it an item of its own',
    })),
  ];
}

const targetTypes = ['Utilization', 'Value', 'AverageValue'];
/** Values of a target by the type of its metric: one is needed. */
const valuesOf = (type: string): readonly string[] =>
  type === 'Pods'
    ? ['averageValue']
    : type.endsWith('Resource')
      ? ['averageUtilization', 'averageValue']
      : ['value', 'averageValue'];

function targetCauses(target: unknown, field: string, type: string): Cause[] {
  if (!isFields(target)) return [];
  const written = textAt(target, 'type');
  const values = valuesOf(type);
  const given = values.filter((name) => (target[name] ?? null) !== null);
  return [
    ...(written === '' || targetTypes.includes(written) ? [] : [notAmong(`${field}.type`, written, targetTypes)]),
    ...(given.length === 0 ? [requiredField(`${field}.${values[0]}`, `must set ${values.join(' or ')}`)] : []),
    ...(given.length > 1 && type !== 'Object'
      ? [
          {
            ...forbiddenField(`${field}.${given[1]}`, `may not set both ${given.join(' and ')}`),
            fix: 'keep one of them',
          },
        ]
      : []),
    ...['averageUtilization', 'value', 'averageValue'].flatMap((name) => {
      const amount = quantityOf(target[name]);
      if (amount === undefined || amount > 0) return [];
      return [invalidField(`${field}.${name}`, String(target[name]), 'must be positive', 'write more than 0')];
    }),
  ];
}

const policyTypes = ['Pods', 'Percent'];
const selections = ['Max', 'Min', 'Disabled'];
const [longestPeriod, longestWindow] = [1800, 3600];

function scalingCauses(rules: unknown, field: string): Cause[] {
  if (!isFields(rules)) return [];
  const [selection, window] = [textAt(rules, 'selectPolicy'), rules['stabilizationWindowSeconds']];
  return [
    ...(selection === '' || selections.includes(selection)
      ? []
      : [notAmong(`${field}.selectPolicy`, selection, selections)]),
    ...(typeof window === 'number' && (window < 0 || window > longestWindow)
      ? [
          invalidField(
            `${field}.stabilizationWindowSeconds`,
            window,
            `must be between 0 and ${longestWindow}`,
            `write 0 to ${longestWindow}`,
          ),
        ]
      : []),
    ...listAt(rules, 'policies').flatMap((policy, index) => policyCauses(policy, `${field}.policies[${index}]`)),
  ];
}

function policyCauses(policy: unknown, field: string): Cause[] {
  const [type, period] = [textAt(policy, 'type'), at(policy, 'periodSeconds')];
  return [
    ...(type === '' || policyTypes.includes(type) ? [] : [notAmong(`${field}.type`, type, policyTypes)]),
    ...positiveCause(at(policy, 'value'), `${field}.value`, 'must be greater than zero'),
    ...positiveCause(period, `${field}.periodSeconds`, 'must be greater than zero'),
    ...(typeof period === 'number' && period > longestPeriod
      ? [
          invalidField(
            `${field}.periodSeconds`,
            period,
            `must be less than or equal to ${longestPeriod}`,
            `write 1 to ${longestPeriod}`,
          ),
        ]
      : []),
  ];
}
