import { createHash } from 'node:crypto';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Fields, Schema } from '../schema/schema.ts';
import { json, type SimRequest, type SimResponse } from './http.ts';
import { NoSuchPath } from './status-error.ts';

/** OpenAPI v3: an index, and one document per group-version with the parts that kubectl's apply, explain and validation read. */
export function openApi(registry: Registry, request: SimRequest): SimResponse {
  const path = request.path.replace(/\/+$/, '');
  if (path === '/openapi/v3') return json(200, index(registry));
  const key = path.slice('/openapi/v3/'.length);
  const kinds = registry.all().filter((kind) => documentKey(kind) === key);
  if (kinds.length === 0) throw new NoSuchPath();
  const body = documentText(kinds);
  const etag = `"${digest(body)}"`;
  if (request.headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' };
  return {
    status: 200,
    headers: { 'content-type': 'application/json', etag, 'cache-control': 'public, immutable' },
    body,
  };
}

/**
 * kubectl falls back to version 2 for a kind that version 3 does not have, before it looks for the kind itself. With a document
 * without kinds (as protobuf: zero bytes) it continues, and reports that the kind does not exist.
 */
export function emptyOpenApiV2({ headers }: SimRequest): SimResponse {
  const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  if (headers['accept']?.includes(protobuf))
    return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: '' };
  return json(200, { swagger: '2.0', info: { title: 'Kubernetes', version: 'unversioned' }, paths: {} });
}

const documentKey = (kind: Kind): string => (kind.group === '' ? `api/${kind.version}` : `apis/${apiVersionOf(kind)}`);
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32).toUpperCase();

function index(registry: Registry): unknown {
  const groups = new Map<string, Kind[]>();
  for (const kind of registry.all()) {
    const key = documentKey(kind);
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  const paths = [...groups].map(([key, kinds]) => [
    key,
    { serverRelativeURL: `/openapi/v3/${key}?hash=${digest(documentText(kinds))}` },
  ]);
  return { paths: Object.fromEntries(paths) };
}

/** Documents of built-in groups are the same for all members; kinds are compared by identity. */
const texts = new WeakMap<Kind, { readonly kinds: readonly Kind[]; readonly text: string }>();

function documentText(kinds: readonly Kind[]): string {
  const first = kinds[0]!;
  const known = texts.get(first);
  if (known && known.kinds.length === kinds.length && known.kinds.every((kind, at) => kind === kinds[at]))
    return known.text;
  const text = JSON.stringify(document(kinds));
  texts.set(first, { kinds, text });
  return text;
}

function document(kinds: readonly Kind[]): unknown {
  const schemas: Fields = {};
  const paths: Fields = {};
  for (const kind of kinds) {
    const name = kind.schema.name ?? componentName(kind);
    schemas[name] = { ...(body(kind.schema, schemas) as Fields), 'x-kubernetes-group-version-kind': [gvk(kind)] };
    Object.assign(paths, pathsOf(kind, `#/components/schemas/${name}`));
  }
  return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'unversioned' }, paths, components: { schemas } };
}

const componentName = (kind: Kind): string => [...kind.group.split('.').reverse(), kind.version, kind.kind].join('.');
const gvk = ({ group, version, kind }: Kind) => ({ group, version, kind });

function pathsOf(kind: Kind, ref: string): Fields {
  const base = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`;
  const collection = kind.namespaced ? `${base}/namespaces/{namespace}/${kind.plural}` : `${base}/${kind.plural}`;
  const query = (name: string, type = 'string') => ({ name, in: 'query', schema: { type, uniqueItems: true } });
  const writing = [query('dryRun'), query('fieldManager'), query('fieldValidation')];
  const content = (...types: string[]) => Object.fromEntries(types.map((type) => [type, { schema: { $ref: ref } }]));
  const responses = { 200: { description: 'OK', content: content('application/json') } };
  const operation = (action: string, more: Fields = {}) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk(kind),
    responses,
    ...more,
  });
  const patches = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];
  if (!kind.custom) patches.push('application/strategic-merge-patch+json');
  const sent = { requestBody: { content: content('application/json'), required: true } };
  return {
    [collection]: { get: operation('list'), post: operation('post', { parameters: writing, ...sent }) },
    [`${collection}/{name}`]: {
      get: operation('get'),
      put: operation('put', { parameters: writing, ...sent }),
      patch: operation('patch', {
        parameters: [...writing, query('force', 'boolean')],
        requestBody: { content: content(...patches), required: true },
      }),
      delete: operation('delete', { parameters: [query('dryRun')] }),
    },
  };
}

/** A schema at its use: named ones by reference, with the extensions for merge patches. */
function use(schema: Schema, schemas: Fields): Fields {
  const extensions = extensionsOf(schema);
  const fallback = schema.default === undefined ? {} : { default: schema.default };
  if (schema.name === undefined) return { ...(body(schema, schemas) as Fields), ...fallback };
  if (!(schema.name in schemas)) {
    schemas[schema.name] = {};
    schemas[schema.name] = body({ ...schema, default: undefined }, schemas);
  }
  return { allOf: [{ $ref: `#/components/schemas/${schema.name}` }], ...fallback, ...extensions };
}

function body(schema: Schema, schemas: Fields): unknown {
  const described = schema.description === undefined ? {} : { description: schema.description };
  const extensions = { ...boundsOf(schema), ...extensionsOf(schema) };
  switch (schema.type) {
    case 'any':
      return { ...described, 'x-kubernetes-preserve-unknown-fields': true };
    case 'intOrString':
      return { ...described, format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
    case 'quantity':
      return { ...described, oneOf: [{ type: 'string' }, { type: 'number' }] };
    case 'list':
      return { type: 'array', ...described, items: use(schema.items ?? { type: 'any' }, schemas), ...extensions };
    case 'map':
      return {
        type: 'object',
        ...described,
        additionalProperties: use(schema.items ?? { type: 'any' }, schemas),
        ...extensions,
      };
    case 'object':
      return {
        type: 'object',
        ...described,
        properties: Object.fromEntries(
          Object.entries(schema.fields ?? {}).map(([name, field]) => [name, use(field, schemas)]),
        ),
        ...(schema.required?.length ? { required: schema.required } : {}),
        ...(schema.open ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
        ...extensions,
      };
    default:
      return {
        type: schema.type,
        ...described,
        ...(schema.format === undefined ? {} : { format: schema.format }),
        ...(schema.enum ? { enum: schema.enum } : {}),
        ...extensions,
      };
  }
}

const bounds = ['pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;
const boundsOf = (schema: Schema): Fields =>
  Object.fromEntries(bounds.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])));

function extensionsOf(schema: Schema): Fields {
  if (schema.type === 'list') {
    const strategy = schema.retainKeys ? 'merge,retainKeys' : 'merge';
    return {
      'x-kubernetes-list-type': schema.listType ?? 'atomic',
      ...(schema.keys ? { 'x-kubernetes-list-map-keys': schema.keys } : {}),
      ...(schema.mergeKey === undefined ? {} : { 'x-kubernetes-patch-strategy': strategy }),
      ...(schema.mergeKey ? { 'x-kubernetes-patch-merge-key': schema.mergeKey } : {}),
    };
  }
  return {
    ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(schema.retainKeys ? { 'x-kubernetes-patch-strategy': 'retainKeys' } : {}),
  };
}
