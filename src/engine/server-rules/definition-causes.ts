import { at, fieldsAt, listAt, textAt } from '../kernel/at.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { type Cause, invalidField, requiredField } from './cause.ts';

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
  return [...causes, ...groupCauses(crd)];
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
