import { messageOf } from '../../api/message-of.ts';
import { textAt } from '../../engine/kernel/at.ts';
import { invalidField, unsupportedField } from '../../engine/server-rules/cause.ts';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import { type Fields, isFields } from '../schema/schema.ts';
import { type Decoded, decode } from '../storage/decode.ts';
import { duplicateKeys } from '../storage/duplicate-keys.ts';
import type { SimRequest } from './http.ts';
import { badRequest, invalid, invalidOptions, StatusError } from './status-error.ts';

/** A JSON document, or a YAML one according to the media type. */
export async function parseBody(request: SimRequest): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  if (type.includes('protobuf')) throw noProtobuf();
  const text = request.body ?? '';
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!type.includes('yaml')) throw badRequest(`error decoding patch: ${messageOf(error)}`);
    const { parse } = await import('yaml');
    try {
      return parse(text, { merge: true });
    } catch (cause) {
      throw badRequest(`error decoding YAML: ${messageOf(cause)}`);
    }
  }
}

/** Of kubectl, only `kubectl create` with a kind and flags sends protobuf. */
const noProtobuf = (): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml (simulated members read no protobuf: use kubectl apply, or kubectl create -f)',
  );

export async function parseObject(request: SimRequest): Promise<Fields> {
  const value = await parseBody(request);
  if (!isFields(value)) throw badRequest('the object provided is unrecognized: expected a JSON object');
  return value;
}

export type Validation = 'Strict' | 'Warn' | 'Ignore';

/** Warn is the default in Kubernetes. */
export function validationOf(query: URLSearchParams): Validation {
  const asked = query.get('fieldValidation') ?? '';
  if (asked === '' || asked === 'Warn') return 'Warn';
  if (asked === 'Strict' || asked === 'Ignore') return asked;
  throw invalidOptions('CreateOptions', unsupportedField('fieldValidation', asked, ['Ignore', 'Warn', 'Strict']));
}

export function dryRunOf(query: URLSearchParams): boolean {
  const asked = query.getAll('dryRun');
  if (asked.length === 0) return false;
  if (asked.every((value) => value === 'All')) return true;
  throw invalidOptions('PatchOptions', unsupportedField('dryRun', asked, ['All']));
}

export interface Checked {
  readonly object: Fields;
  readonly warnings: readonly string[];
}

/** Decodes a body by the schema. Unknown and duplicate fields are refused, warned about or dropped; wrong types are refused. */
export function checkBody(
  kind: Kind,
  body: Fields,
  how: { readonly validation: Validation; readonly text?: string; readonly patch?: boolean },
): Checked {
  const decoded = decode(body, kind.schema);
  refuseWrongTypes(kind, body, decoded);
  if (how.validation === 'Ignore') return { object: decoded.object, warnings: [] };
  const findings = [
    ...decoded.unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
    ...(how.text === undefined ? [] : duplicates(how.text).map((path) => `duplicate field ${JSON.stringify(path)}`)),
  ];
  if (findings.length > 0 && how.validation === 'Strict') {
    const message = `strict decoding error: ${findings.join(', ')}`;
    if (!how.patch)
      throw badRequest(
        `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${message}`,
      );
    throw new StatusError(
      422,
      'Invalid',
      ` "" is invalid: patch: Invalid value: ${JSON.stringify(how.text ?? '')}: ${message}`,
      {
        causes: [invalidField('patch', how.text ?? '', message)],
      },
    );
  }
  return { object: decoded.object, warnings: findings };
}

export function duplicates(text: string): string[] {
  try {
    JSON.parse(text);
  } catch {
    // YAML: its parser refuses duplicate keys itself.
    return [];
  }
  return duplicateKeys(text);
}

const typeName = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

function refuseWrongTypes(kind: Kind, body: Fields, decoded: Decoded): void {
  const first = decoded.wrong[0];
  if (!first) return;
  const got = Number.isInteger(first.value) ? 'number' : typeName(first.value);
  if (kind.custom) {
    throw invalid(
      kind,
      textAt(body, 'metadata', 'name'),
      decoded.wrong.map(({ path, want, value }) => ({
        reason: 'FieldValueTypeInvalid',
        message: `Invalid value: "${typeName(value)}": ${path} in body must be of type ${want}: "${typeName(value)}"`,
        field: path,
      })),
    );
  }
  const why =
    unreadable[first.want]?.(String(first.value)) ??
    `json: cannot unmarshal ${got} into Go struct field ${kind.kind}.${first.path} of type ${first.want}`;
  throw badRequest(
    `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${why}`,
  );
}

/** Strings that are invalid, by the expected content. */
const unreadable: Readonly<Record<string, (value: string) => string>> = {
  quantity: () => "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  byte: (value) => `illegal base64 data at input byte ${Math.max(0, value.search(/[^A-Za-z0-9+/]/))}`,
  'date-time': (value) => `parsing time "${value}" as "2006-01-02T15:04:05Z07:00": cannot parse "${value}"`,
  'micro-time': (value) => `parsing time "${value}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "${value}"`,
};

/** Kind, version, name and namespace of a body must agree with the path; missing ones are taken from it. */
export function placed(
  kind: Kind,
  body: Fields,
  path: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): Fields {
  const apiVersion = textAt(body, 'apiVersion') || apiVersionOf(kind);
  const kindName = textAt(body, 'kind') || kind.kind;
  if (apiVersion !== apiVersionOf(kind) || kindName !== kind.kind)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(kind)})${kindName === kind.kind ? '' : `: kind ${kindName} is not ${kind.kind}`}`,
    );
  const metadata = isFields(body['metadata']) ? body['metadata'] : {};
  const name = textAt(metadata, 'name');
  if (path.name !== undefined && name !== '' && name !== path.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${path.name})`);
  const namespace = textAt(metadata, 'namespace');
  if (path.namespace !== undefined && namespace !== '' && namespace !== path.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return {
    ...body,
    apiVersion,
    kind: kindName,
    metadata: {
      ...metadata,
      ...(path.name === undefined ? {} : { name: path.name }),
      ...(path.namespace === undefined ? {} : { namespace: path.namespace }),
    },
  };
}

const longestManager = 128;

/** The field manager of the request, or the program that sends it. */
export function managerOf(request: SimRequest): string {
  const asked = request.query.get('fieldManager') ?? '';
  if (asked.length > longestManager)
    throw invalidOptions(
      request.method === 'POST' ? 'CreateOptions' : request.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions',
      {
        reason: 'FieldValueTooLong',
        message: `Too long: may not be more than ${longestManager} bytes`,
        field: 'fieldManager',
      },
    );
  if (asked !== '') return asked;
  return (request.headers['user-agent'] ?? 'unknown').split('/')[0] || 'unknown';
}

/** RFC 7234 warnings as the API server writes them. */
export const warningHeader = (warnings: readonly string[]): Record<string, string> =>
  warnings.length === 0 ? {} : { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ') };
