import { parseQuantity } from '../../api/quantity.ts';
import { isDnsLabel } from '../../api/syntax.ts';
import { fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { isFields } from '../kernel/fields.ts';
import { type Cause, duplicateField, forbiddenField, invalidField } from './cause.ts';

/** Names must be unique. */
export const distinctNames = (items: readonly unknown[], path: string): Cause[] =>
  items.flatMap((item, index) => {
    const name = textAt(item, 'name');
    const first = items.findIndex((other) => textAt(other, 'name') === name);
    return name !== '' && first < index ? [duplicateField(`${path}[${index}].name`, name)] : [];
  });

/** Validation errors of names, ports, resources and volumes of a pod (core validation, ValidatePodSpec). */
export const podCauses = (spec: unknown, prefix: string): Cause[] => [
  ...['containers', 'initContainers'].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) => containerCauses(container, `${prefix}.${list}[${index}]`)),
  ),
  ...listAt(spec, 'volumes').flatMap((volume, index) => sourceCauses(volume, `${prefix}.volumes[${index}]`)),
];

function containerCauses(container: unknown, field: string): Cause[] {
  const name = textAt(container, 'name');
  return [
    ...(name === '' || isDnsLabel(name) ? [] : [invalidField(`${field}.name`, name, labelRule, labelFix)]),
    ...listAt(container, 'ports').flatMap((port, index) => {
      const text = textAt(port, 'name');
      if (text === '' || isPortName(text)) return [];
      return [invalidField(`${field}.ports[${index}].name`, text, portRule, 'write a shorter one, for example http')];
    }),
    ...requestCauses(container, field),
  ];
}

const labelRule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'";
const labelFix = 'use at most 63 lower-case letters, digits and -';
const portRule = "must be at most 15 lower case letters, digits and '-', with at least one letter";

const isPortName = (text: string): boolean =>
  text.length <= 15 && /^[a-z0-9](?:-?[a-z0-9])*$/.test(text) && /[a-z]/.test(text);

function requestCauses(container: unknown, field: string): Cause[] {
  const limits = fieldsAt(container, 'resources', 'limits');
  return Object.entries(fieldsAt(container, 'resources', 'requests')).flatMap(([name, request]) => {
    const [asked, limit] = [quantityOf(request), quantityOf(limits[name])];
    if (asked === undefined || limit === undefined || asked <= limit) return [];
    const why = `must be less than or equal to ${name} limit of ${String(limits[name])}`;
    return [invalidField(`${field}.resources.requests`, String(request), why, 'lower the request or raise the limit')];
  });
}

const quantityOf = (value: unknown): number | bigint | undefined =>
  typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value).trim())?.nanos : undefined;

/** A volume without a source is an emptyDir. */
function sourceCauses(volume: unknown, field: string): Cause[] {
  const [, ...more] = Object.entries(isFields(volume) ? volume : {}).filter(([, source]) => isFields(source));
  return more.map(([source]) => ({
    ...forbiddenField(`${field}.${source}`, 'may not specify more than 1 volume type'),
    fix: 'keep one source',
  }));
}
