import type { ObjectShape, Shape } from './shape.ts';
import { limitsIn } from './value-limits.ts';

/** A document of the repo. */
export interface Written {
  readonly value: object;
}

type Fields = Readonly<Record<string, unknown>>;

const any: Shape = { is: 'any' };

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Shapes of the kinds that the repo's own CustomResourceDefinitions declare, by `group/version/kind`. */
export function crdShapes(documents: readonly Written[]): ReadonlyMap<string, Shape> {
  return new Map(
    documents.flatMap(({ value }) => ((value as Fields)['kind'] === 'CustomResourceDefinition' ? shapesIn(value) : [])),
  );
}

/** By the manifest, so that an unchanged file gives the same shapes in every load. */
const shapes = new WeakMap<object, readonly (readonly [string, Shape])[]>();

function shapesIn(crd: object): readonly (readonly [string, Shape])[] {
  const before = shapes.get(crd);
  if (before) return before;
  const spec = fieldsOf((crd as Fields)['spec']);
  const made = listOf(spec['versions']).flatMap((version): (readonly [string, Shape])[] => {
    const { name, schema } = fieldsOf(version);
    const root = fieldsOf(schema)['openAPIV3Schema'];
    if (root === undefined || spec['preserveUnknownFields'] === true) return [];
    const shape = structural(root);
    if (shape.is !== 'object') return [];
    return [[`${spec['group']}/${name}/${fieldsOf(spec['names'])['kind']}`, asResource(shape)]];
  });
  shapes.set(crd, made);
  return made;
}

/** Every object has these fields, declared or not. */
const asResource = (shape: ObjectShape): ObjectShape => ({
  ...shape,
  fields: new Map<string, Shape>([
    ...shape.fields,
    ['apiVersion', { is: 'string' }],
    ['kind', { is: 'string' }],
    ['metadata', any],
  ]),
});

/** Servers fill in defaults, accept null where it is allowed, and write the status themselves. */
function mustBeWritten(name: unknown, properties: unknown): name is string {
  const { default: byDefault, nullable } = fieldsOf(fieldsOf(properties)[String(name)]);
  return typeof name === 'string' && name !== 'status' && byDefault === undefined && nullable !== true;
}

/** Of a structural schema (apiextensions.k8s.io/v1); what is not understood accepts anything. */
function structural(schema: unknown): Shape {
  const { type, properties, required, additionalProperties, items, ...more } = fieldsOf(schema);
  if (more['x-kubernetes-int-or-string'] === true) return { is: 'intOrString' };
  switch (type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { is: type, limits: limitsIn(more) };
    case 'array':
      return {
        is: 'list',
        items: structural(items),
        limits: limitsIn(more),
        keys: more['x-kubernetes-list-type'] === 'map' ? listOf(more['x-kubernetes-list-map-keys']).map(String) : [],
      };
    case 'object': {
      const open = more['x-kubernetes-preserve-unknown-fields'] === true;
      const fields = Object.entries(fieldsOf(properties)).map(([name, of]) => [name, structural(of)] as const);
      if (typeof additionalProperties === 'object') return { is: 'map', values: structural(additionalProperties) };
      const shape: ObjectShape = {
        is: 'object',
        fields: new Map(fields),
        required: listOf(required).filter((name) => mustBeWritten(name, properties)),
        open: open || additionalProperties === true,
      };
      return more['x-kubernetes-embedded-resource'] === true ? asResource(shape) : shape;
    }
    default:
      return any;
  }
}
