import { isDnsLabel } from '../../api/syntax.ts';
import { at, fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { isFields } from '../kernel/fields.ts';
import { type Cause, duplicateField, forbiddenField, invalidField, requiredField } from './cause.ts';
import { containerCauses, labelFix, labelRule } from './container-causes.ts';
import { distinctNames } from './distinct-names.ts';
import { labelCauses } from './label-causes.ts';
import { placingCauses } from './placing-causes.ts';

const lists = ['containers', 'initContainers'];

/**
 * Validation errors of the spec of a pod (core validation, ValidatePodSpec). `claims`: names of the volumes that a StatefulSet adds.
 */
export function podCauses(spec: unknown, prefix: string, claims: readonly string[] = []): Cause[] {
  const volumes = listAt(spec, 'volumes');
  const names = new Set([...volumes.map((volume) => textAt(volume, 'name')), ...claims]);
  return [
    ...(listAt(spec, 'containers').length === 0 ? [requiredField(`${prefix}.containers`)] : []),
    ...lists.flatMap((list) =>
      listAt(spec, list).flatMap((container, index) => containerCauses(container, `${prefix}.${list}[${index}]`, list)),
    ),
    ...lists.flatMap((list) => distinctNames(listAt(spec, list), `${prefix}.${list}`)),
    ...sharedNames(spec, prefix),
    ...distinctNames(volumes, `${prefix}.volumes`),
    ...volumes.flatMap((volume, index) => volumeCauses(volume, `${prefix}.volumes[${index}]`)),
    ...mountCauses(spec, prefix, names),
    ...hostCauses(spec, prefix),
    ...dnsCauses(spec, prefix),
    ...placingCauses(spec, prefix),
  ];
}

/** Labels of the template of pods (core validation, ValidatePodTemplateSpec). */
export const templateLabelCauses = (template: unknown, prefix: string): Cause[] =>
  labelCauses(fieldsAt(template, 'metadata', 'labels'), `${prefix}.metadata.labels`);

/** Init containers and the others have one set of names. */
function sharedNames(spec: unknown, prefix: string): Cause[] {
  const names = new Set(listAt(spec, 'containers').map((container) => textAt(container, 'name')));
  return listAt(spec, 'initContainers').flatMap((container, index) => {
    const name = textAt(container, 'name');
    return name !== '' && names.has(name) ? [duplicateField(`${prefix}.initContainers[${index}].name`, name)] : [];
  });
}

/** Mounts of volumes that the pod does not have, and two at one path. */
const mountCauses = (spec: unknown, prefix: string, volumes: ReadonlySet<string>): Cause[] =>
  lists.flatMap((list) =>
    listAt(spec, list).flatMap((container, c) => {
      const paths = new Set<string>();
      return listAt(container, 'volumeMounts').flatMap((mount, m) => {
        const field = `${prefix}.${list}[${c}].volumeMounts[${m}]`;
        const [name, path] = [textAt(mount, 'name'), textAt(mount, 'mountPath')];
        const isSecond = path !== '' && paths.has(path);
        paths.add(path);
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

/** In the network of the node, a port is that of the node (core validation, validateHostNetwork). */
function hostCauses(spec: unknown, prefix: string): Cause[] {
  if (at(spec, 'hostNetwork') !== true) return [];
  return listAt(spec, 'containers').flatMap((container, c) =>
    listAt(container, 'ports').flatMap((port, p) => {
      const [own, host] = [at(port, 'containerPort'), at(port, 'hostPort')];
      if (typeof host !== 'number' || host === 0 || host === own) return [];
      const why = 'must match `containerPort` when `hostNetwork` is true';
      return [invalidField(`${prefix}.containers[${c}].ports[${p}].hostPort`, host, why, `write ${String(own)}`)];
    }),
  );
}

function dnsCauses(spec: unknown, prefix: string): Cause[] {
  if (textAt(spec, 'dnsPolicy') !== 'None' || listAt(spec, 'dnsConfig', 'nameservers').length > 0) return [];
  const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
  return [requiredField(`${prefix}.dnsConfig.nameservers`, why)];
}

function volumeCauses(volume: unknown, field: string): Cause[] {
  const name = textAt(volume, 'name');
  return [
    ...(name === '' || isDnsLabel(name) ? [] : [invalidField(`${field}.name`, name, labelRule, labelFix)]),
    ...sourceCauses(volume, field),
    ...modeCauses(volume, field),
  ];
}

/** A volume without a source is an emptyDir. */
function sourceCauses(volume: unknown, field: string): Cause[] {
  const [, ...more] = Object.entries(isFields(volume) ? volume : {}).filter(([, source]) => isFields(source));
  return more.map(([source]) => ({
    ...forbiddenField(`${field}.${source}`, 'may not specify more than 1 volume type'),
    fix: 'keep one source',
  }));
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
