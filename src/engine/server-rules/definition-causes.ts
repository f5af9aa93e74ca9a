import { isDnsLabel } from '../../api/syntax.ts';
import { at, fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, forbiddenField, invalidField, notAmong, requiredField } from './cause.ts';

/** Validation errors of a CustomResourceDefinition (apiextensions validation). */
export function definitionCauses(crd: Fields): Cause[] {
  const name = `${textAt(crd, 'spec', 'names', 'plural')}.${textAt(crd, 'spec', 'group')}`;
  const causes: Cause[] = [];
  if (textAt(crd, 'metadata', 'name') !== name)
    causes.push(
      invalidField(
        'metadata.name',
        textAt(crd, 'metadata', 'name'),
        `must be spec.names.plural+"."+spec.group`,
        `write ${name}`,
      ),
    );
  if (listAt(crd, 'spec', 'versions').filter((version) => at(version, 'storage') === true).length !== 1)
    causes.push(
      invalidField(
        'spec.versions',
        listAt(crd, 'spec', 'versions'),
        'must have exactly one version marked as storage version',
        'write storage: true at one version, and false at the others',
      ),
    );
  listAt(crd, 'spec', 'versions').forEach((version, index) => {
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    const schema = at(version, 'schema', 'openAPIV3Schema');
    if (schema === undefined) causes.push(requiredField(field, 'schemas are required'));
    else causes.push(...structureCauses(schema, field, 'at the root'));
  });
  return [...causes, ...groupCauses(crd), ...versionNames(crd), ...kindNames(crd)];
}

/** A label that begins with a letter (RFC 1035). */
const isName = (text: string): boolean => isDnsLabel(text) && /^[a-z]/.test(text);
const nameRule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', and start with a letter";

function versionNames(crd: Fields): Cause[] {
  const versions = listAt(crd, 'spec', 'versions');
  const names = versions.map((version) => textAt(version, 'name'));
  return [
    ...names.flatMap((name, index) =>
      name === '' || isName(name)
        ? []
        : [invalidField(`spec.versions[${index}].name`, name, nameRule, 'write for example v1 or v1beta1')],
    ),
    ...(new Set(names).size < names.length
      ? [
          invalidField(
            'spec.versions',
            names,
            'must contain unique version names',
            'give each version a name of its own',
          ),
        ]
      : []),
  ];
}

/** Kinds have capitals, too. */
function kindNames(crd: Fields): Cause[] {
  return ['plural', 'singular', 'kind', 'listKind'].flatMap((field) => {
    const written = textAt(crd, 'spec', 'names', field);
    const name = field.toLowerCase().endsWith('kind') ? written.toLowerCase() : written;
    if (name === '' || isName(name)) return [];
    return [
      invalidField(`spec.names.${field}`, written, nameRule, 'use letters, digits and -, and begin with a letter'),
    ];
  });
}

const approval = 'api-approved.kubernetes.io';

function groupCauses(crd: Fields): Cause[] {
  const group = textAt(crd, 'spec', 'group');
  if (!group.includes('.'))
    return [
      invalidField('spec.group', group, 'should be a domain with at least one dot', 'write for example example.com'),
    ];
  const isProtected = /(^|\.)(k8s|kubernetes)\.io$/.test(group);
  if (!isProtected || textAt(crd, 'metadata', 'annotations', approval) !== '') return [];
  const why = `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`;
  return [requiredField(`metadata.annotations[${approval}]`, why)];
}

/** A structural schema has a type for every field and every item (apiextensions schema, validateStructuralInvariants). */
function structureCauses(schema: unknown, field: string, place: string): Cause[] {
  if (!isFields(schema)) return [];
  const typeless =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const causes: Cause[] = [];
  if (textAt(schema, 'type') === '' && (!typeless || place === 'at the root'))
    causes.push(requiredField(`${field}.type`, `must not be empty ${place}`));
  const type = textAt(schema, 'type');
  if (type !== '' && !types.includes(type)) causes.push(notAmong(`${field}.type`, type, types));
  if (schema['$ref'] !== undefined)
    causes.push({ ...forbiddenField(`${field}.$ref`, '$ref is not supported'), fix: 'write the schema itself' });
  if (types.includes(type) && !typeless && !fits(schema['default'] ?? null, type))
    causes.push(invalidField(`${field}.default`, schema['default'], `must be of type ${type}`, 'correct the default'));
  if (schema['type'] === 'array' && schema['items'] === undefined)
    causes.push(requiredField(`${field}.items`, 'must be specified'));
  for (const [name, property] of Object.entries(fieldsAt(schema, 'properties')))
    causes.push(...structureCauses(property, `${field}.properties[${name}]`, 'for specified object fields'));
  causes.push(...structureCauses(schema['items'], `${field}.items`, 'for specified array items'));
  causes.push(
    ...structureCauses(schema['additionalProperties'], `${field}.additionalProperties`, 'for specified object fields'),
  );
  return causes;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Whether a value is of a type; null fits where a schema is nullable, and is no default elsewhere. */
function fits(value: unknown, type: string): boolean {
  if (value === null) return true;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isFields(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
