import { parseQuantity } from '../../api/quantity.ts';
import { isDnsLabel } from '../../api/syntax.ts';
import { at, fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { isFields } from '../kernel/fields.ts';
import { type Cause, duplicateField, forbiddenField, invalidField, requiredField } from './cause.ts';
import { isPortName, portCauses, portRule } from './port-causes.ts';

/** Names must be unique. */
export const distinctNames = (items: readonly unknown[], path: string): Cause[] =>
  items.flatMap((item, index) => {
    const name = textAt(item, 'name');
    const first = items.findIndex((other) => textAt(other, 'name') === name);
    return name !== '' && first < index ? [duplicateField(`${path}[${index}].name`, name)] : [];
  });

/** Validation errors of names, ports, probes, resources and volumes of a pod (core validation, ValidatePodSpec). */
export const podCauses = (spec: unknown, prefix: string): Cause[] => [
  ...['containers', 'initContainers'].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) => containerCauses(container, `${prefix}.${list}[${index}]`)),
  ),
  ...listAt(spec, 'volumes').flatMap((volume, index) => [
    ...sourceCauses(volume, `${prefix}.volumes[${index}]`),
    ...modeCauses(volume, `${prefix}.volumes[${index}]`),
  ]),
];

/** Mounts of volumes that the pod does not have, and two at one path. `volumes`: names, those of claims of a StatefulSet, too. */
export const mountCauses = (spec: unknown, prefix: string, volumes: ReadonlySet<string>): Cause[] =>
  ['containers', 'initContainers'].flatMap((list) =>
    listAt(spec, list).flatMap((container, c) => {
      const mounts = listAt(container, 'volumeMounts');
      const paths = mounts.map((mount) => textAt(mount, 'mountPath'));
      return mounts.flatMap((mount, m) => {
        const field = `${prefix}.${list}[${c}].volumeMounts[${m}]`;
        const [name, path] = [textAt(mount, 'name'), paths[m]!];
        const isSecond = path !== '' && paths.indexOf(path) < m;
        return [
          ...(volumes.has(name) ? [] : [noVolume(`${field}.name`, name)]),
          ...(isSecond ? [invalidField(`${field}.mountPath`, path, 'must be unique', 'mount it at another path')] : []),
        ];
      });
    }),
  );

const noVolume = (field: string, name: string): Cause => ({
  reason: 'FieldValueNotFound',
  why: 'no volume has this name',
  fix: 'add the volume, or correct the name',
  message: `Not found: ${JSON.stringify(name)}`,
  field,
});

function containerCauses(container: unknown, field: string): Cause[] {
  const name = textAt(container, 'name');
  return [
    ...(name === '' || isDnsLabel(name) ? [] : [invalidField(`${field}.name`, name, labelRule, labelFix)]),
    ...listAt(container, 'ports').flatMap((port, index) => {
      const text = textAt(port, 'name');
      if (text === '' || isPortName(text)) return [];
      return [invalidField(`${field}.ports[${index}].name`, text, portRule, 'write a shorter one, for example http')];
    }),
    ...distinctNames(listAt(container, 'ports'), `${field}.ports`),
    ...probes.flatMap((path) => handlerCauses(at(container, ...path.split('.')), `${field}.${path}`)),
    ...requestCauses(container, field),
  ];
}

const labelRule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'";
const labelFix = 'use at most 63 lower-case letters, digits and -';
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

const probes = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle.postStart', 'lifecycle.preStop'];
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** A probe does one thing (core validation, validateHandler). */
function handlerCauses(probe: unknown, field: string): Cause[] {
  if (!isFields(probe)) return [];
  const [first, ...more] = handlers.filter((handler) => isFields(probe[handler]));
  if (first === undefined) return [requiredField(field, 'must specify a handler type')];
  return [
    ...more.map((handler) => ({
      ...forbiddenField(`${field}.${handler}`, 'may not specify more than 1 handler type'),
      fix: `keep ${first} or ${handler}`,
    })),
    ...['httpGet', 'tcpSocket'].flatMap((handler) =>
      portCauses(at(probe, handler, 'port'), `${field}.${handler}.port`),
    ),
  ];
}

/** Modes of the files of a volume: 0777 is 511. */
function modeCauses(volume: unknown, field: string): Cause[] {
  const projected = listAt(volume, 'projected', 'sources').map((_, index) => ['projected', 'sources', index] as const);
  const inProjected = projected.flatMap((path) => sources.map((source) => [...path, source]));
  const places = [...[...sources, 'projected'].map((source) => [source]), ...inProjected];
  return places.flatMap((place) => {
    const source = at(volume, ...place);
    const text = place.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    return [
      modeCause(at(source, 'defaultMode'), `${field}${text}.defaultMode`),
      ...listAt(source, 'items').map((item, i) => modeCause(at(item, 'mode'), `${field}${text}.items[${i}].mode`)),
    ].flat();
  });
}

const sources = ['secret', 'configMap', 'downwardAPI'];

function modeCause(mode: unknown, field: string): Cause[] {
  if (typeof mode !== 'number' || (mode >= 0 && mode <= 0o777)) return [];
  const why = 'must be a number between 0 and 0777 (octal), both inclusive';
  return [invalidField(field, mode, why, 'write 0 to 511, for example 420 for 0644')];
}
