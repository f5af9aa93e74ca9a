import { deletionIssues } from './being-deleted.ts';
import { error, type Issue } from './issue.ts';
import { type FleetObject, fleetKindOf, fleetKinds } from './kinds.ts';
import type { ObjectRef } from './meta.ts';
import { modernise } from './old-spellings.ts';
import { metaIssues } from './rules/meta-rules.ts';
import { schemaIssues } from './schema-issues.ts';
import { nearest } from './syntax.ts';
import { withoutNulls } from './without-nulls.ts';
import { writtenRef } from './written-ref.ts';

export interface Validated {
  /** Absent if it has an issue of severity error, unless its kind is kept when invalid. */
  readonly object?: FleetObject;
  readonly ref?: ObjectRef;
  /** What a refused object would be without what is wrong in it, for findings about the rest. */
  readonly supposed?: FleetObject | undefined;
  readonly issues: readonly Issue[];
  /** The schema accepts it, so that the rules ran too. */
  readonly isShaped: boolean;
  /** The object as the schema accepts it, whatever the rules say. */
  readonly shaped?: FleetObject;
}

/** Reads one document of a fleet kind: old spellings, schema with defaults, then the rules of KubeFleet's CEL and webhooks. */
export function validateFleetObject(document: unknown): Validated {
  const { apiVersion = '', kind = '' } = (document ?? {}) as { readonly apiVersion?: string; readonly kind?: string };
  const ref = writtenRef((document ?? {}) as object);
  const withRef = ref ? { ref } : {};
  const known = fleetKindOf(apiVersion, kind);
  if (known === 'generated') return { ...withRef, isShaped: false, issues: [generatedKind(kind)] };
  if (known === 'unknown') return { ...withRef, isShaped: false, issues: [unknownKind(apiVersion, kind)] };
  const modern = modernise(withoutNulls(document, known.keepsNulls));
  const parsed = known.schema.safeParse(modern.document);
  if (!parsed.success)
    return {
      ...withRef,
      isShaped: false,
      issues: [...modern.issues, ...schemaIssues(parsed.error.issues, known.schema, modern.document)],
    };
  const { object, issues: dropped } = known.complete?.(parsed.data) ?? { object: parsed.data, issues: [] };
  const issues = [
    ...modern.issues,
    ...dropped,
    ...metaIssues(object.metadata),
    ...deletionIssues(object),
    ...scopeIssues(object, known.scope),
    ...known.rules(object, modern.document),
  ];
  const refused = !known.keptWhenInvalid && issues.some(({ severity }) => severity === 'error');
  return { ...withRef, ...(refused ? {} : { object }), issues, isShaped: true, shaped: object };
}

const generatedKind = (kind: string): Issue =>
  error(
    'generated-kind',
    ['kind'],
    `${kind} is written by controllers, not by users`,
    'remove it: gitfleet keeps its state on the status branch',
  );

function unknownKind(apiVersion: string, kind: string): Issue {
  const like = nearest(
    kind,
    fleetKinds.map((candidate) => candidate.kind),
  );
  const [group] = apiVersion.split('/');
  const kinds = fleetKinds.filter((candidate) => candidate.group === group).map((candidate) => candidate.kind);
  return error(
    'unknown-kind',
    ['kind'],
    `${apiVersion} has no kind ${kind}`,
    like ? `did you mean ${like}?` : `use one of ${kinds.join(', ')}`,
  );
}

function scopeIssues(object: FleetObject, scope: 'Cluster' | 'Namespaced'): Issue[] {
  const namespace = object.metadata?.namespace;
  if (scope === 'Cluster' && namespace !== undefined)
    return [
      error(
        'namespace-not-allowed',
        ['metadata', 'namespace'],
        `${object.kind} is cluster-scoped`,
        'remove metadata.namespace',
      ),
    ];
  if (scope === 'Namespaced' && namespace === undefined)
    return [error('namespace-required', ['metadata'], `${object.kind} is namespaced`, 'add metadata.namespace')];
  return [];
}
