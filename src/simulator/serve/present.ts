import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { StatusError } from './status-error.ts';

/** The form of objects in a response: complete, as table rows, or metadata only. */
export type Form =
  | { readonly kind: 'object' }
  | { readonly kind: 'table'; readonly include: 'Metadata' | 'Object' | 'None' }
  | { readonly kind: 'metadata' };

/** The first supported form of the Accept header; by default complete objects. */
export function formOf(accept: string | undefined, includeObject: string | null): Form {
  const clauses = (accept || '*/*').split(',');
  for (const clause of clauses) {
    const [media, ...parameters] = clause.split(';').map((part) => part.trim());
    if (media !== 'application/json' && media !== '*/*') continue;
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3);
    if (as === undefined) return { kind: 'object' };
    const version = parameters.find((parameter) => parameter.startsWith('v='))?.slice(2);
    if (version !== 'v1') continue;
    if (as === 'Table') {
      const include = includeObject === 'Object' || includeObject === 'None' ? includeObject : 'Metadata';
      return { kind: 'table', include };
    }
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return { kind: 'metadata' };
  }
  if (!clauses.some(isAccepted)) throw notAcceptable();
  return { kind: 'object' };
}

/** JSON is used instead of the other two media types of real servers, and complete objects instead of a form of another version. */
function isAccepted(clause: string): boolean {
  const form = /;\s*as=([^;\s]*)/.exec(clause)?.[1];
  return mediaTypes.test(clause) && (form === undefined || forms.has(form));
}

const mediaTypes = /\*\/\*|application\/(\*|json|yaml|vnd\.kubernetes\.protobuf)/;
const forms: ReadonlySet<string> = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);
const notAcceptable = (): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );

/** An object in the version of the request: all versions of a kind share their content. */
export const inVersion = (object: Stored, kind: Kind): Stored => {
  const apiVersion = apiVersionOf(kind);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
};

export function presentOne(object: Stored, kind: Kind, form: Form, now: number): unknown {
  switch (form.kind) {
    case 'table':
      return tableOf([object], kind, form.include, now, { resourceVersion: object.metadata.resourceVersion });
    case 'metadata':
      return metadataOf(object);
    default:
      return inVersion(object, kind);
  }
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export function presentList(
  objects: readonly Stored[],
  kind: Kind,
  form: Form,
  now: number,
  metadata: ListMeta,
): unknown {
  switch (form.kind) {
    case 'table':
      return tableOf(objects, kind, form.include, now, metadata);
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: objects.map(metadataOf),
      };
    default:
      return {
        kind: `${kind.kind}List`,
        apiVersion: apiVersionOf(kind),
        metadata,
        // Built-in lists have the kind once for all items; lists of custom resources repeat it.
        items: kind.custom ? objects.map((object) => inVersion(object, kind)) : objects.map(withoutKind),
      };
  }
}

function withoutKind(object: Stored): unknown {
  const { apiVersion: _a, kind: _k, ...rest } = object;
  return rest;
}

const metadataOf = (object: Stored): unknown => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: object.metadata,
});

export function tableOf(
  objects: readonly Stored[],
  kind: Kind,
  include: 'Metadata' | 'Object' | 'None',
  now: number,
  metadata: ListMeta,
): unknown {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: kind.columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format: format ?? '',
      description,
      priority,
    })),
    rows: objects.map((object) => ({
      cells: kind.columns.map((column) => column.cell(object, now)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? inVersion(object, kind) : metadataOf(object) }),
    })),
  };
}
