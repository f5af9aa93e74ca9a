import { isLabelValue, isQualifiedName } from '../../api/syntax.ts';
import { at, fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { isFields } from '../kernel/fields.ts';
import { type Cause, invalidField, requiredField } from './cause.ts';
import { labelCauses, namePartRule, nodeExpressionCauses, selectorCauses } from './label-causes.ts';
import { rangeCause } from './number-causes.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** On which nodes pods may run (core validation, ValidateTolerations, validateAffinity, validateTopologySpreadConstraints). */
export const placingCauses = (spec: unknown, prefix: string): Cause[] => [
  ...labelCauses(fieldsAt(spec, 'nodeSelector'), `${prefix}.nodeSelector`),
  ...listAt(spec, 'tolerations').flatMap((item, index) => tolerationCauses(item, `${prefix}.tolerations[${index}]`)),
  ...nodeAffinityCauses(at(spec, 'affinity', 'nodeAffinity'), `${prefix}.affinity.nodeAffinity`),
  ...['podAffinity', 'podAntiAffinity'].flatMap((kind) =>
    podAffinityCauses(at(spec, 'affinity', kind), `${prefix}.affinity.${kind}`),
  ),
  ...listAt(spec, 'topologySpreadConstraints').flatMap((item, index) =>
    spreadCauses(item, `${prefix}.topologySpreadConstraints[${index}]`),
  ),
];

function tolerationCauses(toleration: unknown, field: string): Cause[] {
  const [key, operator] = [textAt(toleration, 'key'), textAt(toleration, 'operator')];
  const [value, effect] = [textAt(toleration, 'value'), textAt(toleration, 'effect')];
  const seconds = at(toleration, 'tolerationSeconds') ?? null;
  return [
    ...(key === '' || isQualifiedName(key)
      ? []
      : [invalidField(`${field}.key`, key, namePartRule, 'write for example example.com/dedicated')]),
    ...(key === '' && operator !== 'Exists'
      ? [
          invalidField(
            `${field}.operator`,
            operator,
            'operator must be Exists when `key` is empty',
            'write operator: Exists',
          ),
        ]
      : []),
    ...(seconds !== null && effect !== 'NoExecute'
      ? [
          invalidField(
            `${field}.effect`,
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
            'write effect: NoExecute, or remove tolerationSeconds',
          ),
        ]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [
          invalidField(
            `${field}.operator`,
            value,
            "value must be empty when `operator` is 'Exists'",
            'remove the value',
          ),
        ]
      : []),
    ...((operator === 'Equal' || operator === '') && !isLabelValue(value)
      ? [invalidField(`${field}.operator`, value, 'the value is no label value', 'correct the value')]
      : []),
  ];
}

function nodeAffinityCauses(affinity: unknown, field: string): Cause[] {
  const terms = at(affinity, required, 'nodeSelectorTerms');
  const place = `${field}.${required}.nodeSelectorTerms`;
  return [
    ...(Array.isArray(terms) && terms.length === 0
      ? [requiredField(place, 'must have at least one node selector term', 'add a term')]
      : []),
    ...listAt(affinity, required, 'nodeSelectorTerms').flatMap((term, index) => termCauses(term, `${place}[${index}]`)),
    ...listAt(affinity, preferred).flatMap((item, index) => [
      ...weightCauses(item, `${field}.${preferred}[${index}]`),
      ...termCauses(at(item, 'preference'), `${field}.${preferred}[${index}].preference`),
    ]),
  ];
}

const termCauses = (term: unknown, field: string): Cause[] =>
  listAt(term, 'matchExpressions').flatMap((expression, index) =>
    nodeExpressionCauses(expression, `${field}.matchExpressions[${index}]`),
  );

const weightCauses = (item: unknown, field: string): Cause[] =>
  rangeCause(at(item, 'weight'), `${field}.weight`, [1, 100]);

const podAffinityCauses = (affinity: unknown, field: string): Cause[] => [
  ...listAt(affinity, required).flatMap((term, index) => podTermCauses(term, `${field}.${required}[${index}]`)),
  ...listAt(affinity, preferred).flatMap((item, index) => [
    ...weightCauses(item, `${field}.${preferred}[${index}]`),
    ...podTermCauses(at(item, 'podAffinityTerm'), `${field}.${preferred}[${index}].podAffinityTerm`),
  ]),
];

const podTermCauses = (term: unknown, field: string): Cause[] =>
  ['labelSelector', 'namespaceSelector'].flatMap((name) => selectorCauses(at(term, name), `${field}.${name}`));

function spreadCauses(constraint: unknown, field: string): Cause[] {
  if (!isFields(constraint)) return [];
  const skew = constraint['maxSkew'];
  return [
    ...(typeof skew === 'number' && skew <= 0
      ? [invalidField(`${field}.maxSkew`, skew, 'must be greater than zero', 'write 1 or more')]
      : []),
    ...selectorCauses(constraint['labelSelector'], `${field}.labelSelector`),
  ];
}
