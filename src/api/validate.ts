import type { z } from 'zod';
import { completePlacement, droppedByCompletion } from './complete-placement.ts';
import { error, type Issue } from './issue.ts';
import { type FleetObject, fleetKindOf, fleetKinds } from './kinds.ts';
import type { ObjectRef } from './meta.ts';
import { modernise } from './old-spellings.ts';
import type { Placement } from './placement.ts';
import {
  budgetIssues,
  configIssues,
  memberIssues,
  overrideIssues,
  runIssues,
  strategyIssues,
} from './rules/other-rules.ts';
import { placementIssues } from './rules/placement-rules.ts';
import { nearest } from './syntax.ts';
import { withoutNulls } from './without-nulls.ts';

export interface Validated {
  /** Absent when an issue of severity error stands against it, except for budgets, which are never read as absent. */
  readonly object?: FleetObject;
  readonly ref?: ObjectRef;
  readonly issues: readonly Issue[];
}

/** Reads one document of a fleet kind: old spellings, schema with defaults, then the rules of KubeFleet's CEL and webhooks. */
export function validateFleetObject(document: unknown): Validated {
  const {
    apiVersion = '',
    kind = '',
    metadata,
  } = (document ?? {}) as { apiVersion?: string; kind?: string; metadata?: { name?: unknown; namespace?: unknown } };
  const known = fleetKindOf(apiVersion, kind);
  const named = typeof metadata?.name === 'string' ? metadata.name : kind === 'FleetConfig' ? 'fleet' : undefined;
  const namespace = typeof metadata?.namespace === 'string' ? metadata.namespace : undefined;
  const ref =
    named === undefined
      ? undefined
      : { apiVersion, kind, name: named, ...(namespace === undefined ? {} : { namespace }) };
  const withRef = ref ? { ref } : {};
  if (known === 'generated') {
    return {
      ...withRef,
      issues: [
        error(
          'generated-kind',
          ['kind'],
          `${kind} is written by controllers, not by people`,
          'remove it: gitfleet keeps what it stands for on the status branch',
        ),
      ],
    };
  }
  if (known === 'unknown') {
    const like = nearest(
      kind,
      fleetKinds.map((candidate) => candidate.kind),
    );
    const kinds = fleetKinds
      .filter((candidate) => candidate.group === apiVersion.split('/')[0])
      .map((candidate) => candidate.kind);
    return {
      ...withRef,
      issues: [
        error(
          'unknown-kind',
          ['kind'],
          `${apiVersion} has no kind ${kind}`,
          like ? `did you mean ${like}?` : `use one of ${kinds.join(', ')}`,
        ),
      ],
    };
  }
  const modern = modernise(withoutNulls(document));
  const parsed = known.schema.safeParse(modern.document);
  if (!parsed.success)
    return {
      ...withRef,
      issues: [
        ...modern.issues,
        ...parsed.error.issues.flatMap((issue) => fromZod(issue, known.schema, modern.document)),
      ],
    };
  const data = parsed.data as FleetObject;
  const object = isPlacement(data) ? completePlacement(data) : data;
  const filled = isPlacement(data) ? droppedByCompletion(data) : [];
  const issues = [...modern.issues, ...filled, ...scopeIssues(object, known.scope), ...rulesFor(object)];
  const refused =
    issues.some(({ severity }) => severity === 'error') && object.kind !== 'ClusterResourcePlacementDisruptionBudget';
  return { ...withRef, ...(refused ? {} : { object }), issues };
}

const isPlacement = (object: FleetObject): object is Placement =>
  object.kind === 'ClusterResourcePlacement' || object.kind === 'ResourcePlacement';

function rulesFor(object: FleetObject): Issue[] {
  switch (object.kind) {
    case 'ClusterResourcePlacement':
    case 'ResourcePlacement':
      return placementIssues(object);
    case 'MemberCluster':
      return memberIssues(object);
    case 'ClusterResourceOverride':
    case 'ResourceOverride':
      return overrideIssues(object);
    case 'ClusterStagedUpdateStrategy':
    case 'StagedUpdateStrategy':
      return strategyIssues(object);
    case 'ClusterStagedUpdateRun':
    case 'StagedUpdateRun':
      return runIssues(object);
    case 'ClusterResourcePlacementDisruptionBudget':
      return budgetIssues(object);
    case 'FleetConfig':
      return configIssues(object);
    default:
      return [];
  }
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

/** zod's findings in our words. Of the branches of a union the one that comes closest speaks. */
export function fromZod(issue: z.core.$ZodIssue, schema: z.ZodType, document: unknown): Issue[] {
  const path = issue.path as (string | number)[];
  const written = valueAt(document, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const like = nearest(key, fieldsAt(schema, path));
        return error(
          'unknown-field',
          [...path, key],
          `there is no field ${key} here`,
          like ? `did you mean ${like}?` : `remove ${key}`,
        );
      });
    case 'invalid_value':
      if (written === undefined) return [missing(path, issue.values)];
      return [
        error(
          'invalid-value',
          path,
          `${path.at(-1)} must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`,
          nearestFix(issue.values, written),
        ),
      ];
    case 'invalid_type':
      if (written === undefined) return [missing(path)];
      return [
        error(
          'wrong-type',
          path,
          `${path.at(-1)} must be of type ${issue.expected}`,
          quotedFix(issue.expected, written) ?? typeFixes[issue.expected],
        ),
      ];
    case 'too_big':
      return [outOfRange(path, issue, { word: 'at most', bound: issue.maximum })];
    case 'too_small':
      return [outOfRange(path, issue, { word: 'at least', bound: issue.minimum })];
    default:
      return [error('invalid', path, `${path.at(-1) ?? 'document'}: ${issue.message}`)];
  }
}

const typeFixes: Readonly<Record<string, string>> = {
  string: 'write a text, in quotes where it looks like a number or a truth value',
  number: 'write a number, without quotes',
  int: 'write a whole number, without quotes',
  boolean: 'write true or false, without quotes',
  array: 'write a list',
  object: 'write a map',
  record: 'write a map',
};

/** Numbers are bounded themselves, texts by their characters, lists and maps by their entries. */
function outOfRange(
  path: Issue['path'],
  { origin, inclusive }: { readonly origin: string; readonly inclusive?: boolean | undefined },
  { word, bound }: { readonly word: 'at most' | 'at least'; readonly bound: number | bigint },
): Issue {
  const limit = inclusive === false ? `${word === 'at most' ? 'less' : 'more'} than ${bound}` : `${word} ${bound}`;
  if (origin === 'string') return error('out-of-range', path, `${path.at(-1)} must have ${limit} characters`);
  if (origin === 'array' || origin === 'set' || origin === 'object')
    return error('out-of-range', path, `${path.at(-1)} must have ${limit} entries`);
  return error('out-of-range', path, `${path.at(-1)} must be ${limit}`, `write a number of ${limit}`);
}

const missing = (path: Issue['path'], values: readonly unknown[] = []): Issue =>
  error(
    'field-required',
    path,
    `${path.at(-1)} is missing`,
    values.length === 0 ? `add ${path.at(-1)}` : `add ${path.at(-1)}: ${values.join(' or ')}`,
  );

const valueAt = (document: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, part) => (value as Record<string | number, unknown> | null | undefined)?.[part],
    document,
  );

const quotedFix = (expected: string, written: unknown): string | undefined =>
  expected === 'string' && (typeof written === 'number' || typeof written === 'boolean')
    ? `write "${written}"`
    : undefined;

const nearestFix = (values: readonly unknown[], input: unknown): string | undefined => {
  if (values.length === 1) return `write ${values[0]}`;
  const like = typeof input === 'string' ? nearest(input, values.map(String)) : undefined;
  return like === undefined ? undefined : `did you mean ${like}?`;
};

/** Names of the fields of the object at a path of a schema; empty where the schema does not tell. */
function fieldsAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let present: unknown = schema;
  for (const part of path) {
    present = unwrapped(present);
    const { shape, element } = present as { shape?: Record<string, unknown>; element?: unknown };
    present = typeof part === 'number' ? element : shape?.[part];
    if (present === undefined) return [];
  }
  return Object.keys((unwrapped(present) as { shape?: Record<string, unknown> }).shape ?? {});
}

function unwrapped(schema: unknown): unknown {
  let present = schema;
  for (;;) {
    const inner = (present as { def?: { innerType?: unknown } } | undefined)?.def?.innerType;
    if (inner === undefined) return present;
    present = inner;
  }
}
