import { z } from 'zod';
import { fleetKinds } from './kinds.ts';

/** JSON Schemas (draft-07, which editors' YAML servers read): one file per kind and `fleet.schema.json` for any of them. */
export function jsonSchemas(): Map<string, object> {
  const files = new Map<string, object>();
  const branches: object[] = [];
  for (const { kind, schema } of fleetKinds) {
    const json = z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' }) as {
      properties?: Record<string, unknown>;
    };
    const { ...body } = { ...json, title: kind, properties: { ...json.properties, kind: { const: kind } } };
    files.set(`${kind.toLowerCase()}.schema.json`, body);
    branches.push({
      if: { properties: { kind: { const: kind } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema, in data that nothing awaits.
      then: { $ref: `${kind.toLowerCase()}.schema.json` },
    });
  }
  files.set('fleet.schema.json', {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'gitfleet',
    type: 'object',
    required: ['apiVersion', 'kind'],
    allOf: branches,
  });
  return files;
}
