import { at, fieldsAt, listAt, textAt } from '../../engine/kernel/at.ts';
import type { Stored } from '../object.ts';
import { objectMeta } from '../schema/meta.ts';
import { any, type Fields, isFields, type Schema, str } from '../schema/schema.ts';
import { ageOf } from './age.ts';
import { ageColumn, nameColumn } from './columns.ts';
import { jsonPath } from './json-path.ts';
import type { Column, Kind } from './kind.ts';

/** The kinds that a CustomResourceDefinition declares, one for each served version. */
export function kindsOfCrd(crd: Stored): Kind[] {
  const group = textAt(crd, 'spec', 'group');
  const names = fieldsAt(crd, 'spec', 'names');
  return listAt(crd, 'spec', 'versions')
    .filter((version) => at(version, 'served') === true)
    .map((version): Kind => {
      const scale = at(version, 'subresources', 'scale');
      const selector = textAt(scale, 'labelSelectorPath');
      return {
        group,
        version: textAt(version, 'name'),
        kind: textAt(names, 'kind'),
        plural: textAt(names, 'plural'),
        singular: textAt(names, 'singular') || textAt(names, 'kind').toLowerCase(),
        shortNames: listAt(names, 'shortNames').map(String),
        categories: listAt(names, 'categories').map(String),
        namespaced: textAt(crd, 'spec', 'scope') === 'Namespaced',
        schema: rootSchema(at(version, 'schema', 'openAPIV3Schema'), at(crd, 'spec', 'preserveUnknownFields') === true),
        status: at(version, 'subresources', 'status') !== undefined,
        ...(scale === undefined
          ? {}
          : {
              scale: {
                spec: textAt(scale, 'specReplicasPath'),
                status: textAt(scale, 'statusReplicasPath'),
                ...(selector === '' ? {} : { selector }),
              },
            }),
        generation: true,
        columns: columnsOf(listAt(version, 'additionalPrinterColumns')),
        custom: true,
        selectable: listAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath').replace(/^\./, '')),
      };
    });
}

function rootSchema(json: unknown, preserve: boolean): Schema {
  const schema = isFields(json) ? fromOpenApi(json) : any;
  const fields = { ...schema.fields, apiVersion: str, kind: str, metadata: objectMeta };
  return { ...schema, type: 'object', fields, open: preserve || schema.open === true || schema.type === 'any' };
}

/** Converts structural schemas of CRDs (OpenAPI v3) to our form. */
export function fromOpenApi(json: Fields): Schema {
  const common = {
    ...('default' in json ? { default: json['default'] } : {}),
    ...(json['nullable'] === true ? { nullable: true } : {}),
    ...(Array.isArray(json['enum']) ? { enum: json['enum'] as unknown[] } : {}),
    ...(Array.isArray(json['required']) ? { required: json['required'].map(String) } : {}),
    ...(typeof json['description'] === 'string' ? { description: json['description'] } : {}),
    ...Object.fromEntries(
      ['pattern', 'format', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'].flatMap((key) =>
        json[key] === undefined ? [] : [[key, json[key]]],
      ),
    ),
  };
  const open = json['x-kubernetes-preserve-unknown-fields'] === true;
  if (json['x-kubernetes-int-or-string'] === true) return { type: 'intOrString', ...common };
  const atomic = json['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {};
  switch (json['type']) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: json['type'], ...common };
    case 'array': {
      const listType = json['x-kubernetes-list-type'];
      const keys = json['x-kubernetes-list-map-keys'];
      return {
        type: 'list',
        items: isFields(json['items']) ? fromOpenApi(json['items']) : any,
        listType: listType === 'map' || listType === 'set' ? listType : 'atomic',
        ...(Array.isArray(keys) ? { keys: keys.map(String) } : {}),
        ...common,
      };
    }
    case 'object': {
      if (json['x-kubernetes-embedded-resource'] === true) {
        const own = fromProperties(json['properties']);
        const fields = { apiVersion: str, kind: str, metadata: objectMeta, ...own };
        return { type: 'object', fields, open, ...atomic, ...common };
      }
      const more = json['additionalProperties'];
      if (!isFields(json['properties']) && isFields(more)) {
        return { type: 'map', items: fromOpenApi(more), ...atomic, ...common };
      }
      if (!isFields(json['properties']) && (more === true || open)) return { type: 'any', ...atomic, ...common };
      return { type: 'object', fields: fromProperties(json['properties']), open, ...atomic, ...common };
    }
    default:
      return { type: 'any', ...common };
  }
}

const fromProperties = (properties: unknown): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(isFields(properties) ? properties : {}).map(([name, item]) => [
      name,
      isFields(item) ? fromOpenApi(item) : any,
    ]),
  );

function columnsOf(declared: readonly unknown[]): Column[] {
  if (declared.length === 0) return [nameColumn, ageColumn];
  return [
    nameColumn,
    ...declared.map((item): Column => {
      const path = textAt(item, 'jsonPath');
      const type = (textAt(item, 'type') || 'string') as Column['type'];
      const format = textAt(item, 'format');
      return {
        name: textAt(item, 'name'),
        type,
        ...(format === '' ? {} : { format }),
        description: textAt(item, 'description'),
        priority: Number(at(item, 'priority') ?? 0),
        cell(object, now) {
          const found = jsonPath(object, path);
          if (found.length === 0) return type === 'string' || type === 'date' ? '' : null;
          if (type === 'date') return ageOf(found[0], now);
          const value = found.length > 1 ? found : found[0];
          return type === 'string' && typeof value !== 'string' ? JSON.stringify(value) : value;
        },
      };
    }),
  ];
}
