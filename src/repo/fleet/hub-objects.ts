import { error, type Issue } from '../../api/issue.ts';
import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { writtenRef } from '../../api/written-ref.ts';
import type { HubObject } from '../../engine/input.ts';
import { isNodePool } from '../../engine/node-pools/pool.ts';
import { isConfigMapEnvelope } from '../../engine/selection/envelope.ts';
import { objectKey } from '../../engine/selection/object-key.ts';
import type { ShapeCheck } from '../schemas/kind-shapes.ts';
import { dataIssues } from './data-issues.ts';
import { encryptedIssues } from './encrypted.ts';
import { envelopeIssues, readEnvelope } from './envelope-contents.ts';
import type { Finding, Placed } from './finding.ts';
import { misspeltKind, misspeltOf, unservedVersion } from './misspelt-kinds.ts';
import { nodeResourceIssues } from './nodes/node-resource-issues.ts';
import { nameIssues } from './object-names.ts';
import { type CrdScopes, crdScopes, scopeOf } from './scopes.ts';

export interface HubObjects {
  readonly objects: readonly HubObject[];
  readonly refused: readonly ObjectRef[];
  /** Files with a refused object that cannot be identified. */
  readonly unreadable: readonly string[];
  readonly findings: readonly Finding[];
  /** Refused NodePools. */
  readonly invalidPools: readonly Manifest[];
}

/** The manifests under `resources/`, as a hub would have them. An object defined twice is refused. */
export function hubObjects(documents: readonly Placed[], shapes: ShapeCheck): HubObjects {
  const crds = crdScopes(documents);
  const findings: Finding[] = [];
  const unreadable: string[] = [];
  const refused: ObjectRef[] = [];
  const places = new Map<string, { readonly placed: Placed; readonly object: HubObject | undefined }[]>();
  for (const placed of documents) {
    const { object, issues } = hubObject(placed, { crds, shapes });
    const ref = writtenRef(placed.value);
    for (const issue of issues) findings.push({ placed, issue, ref: ref ?? kindOnly(placed) });
    // An object with generateName is none of the known ones.
    if (!ref && issues.some(({ code }) => code === 'generate-name')) continue;
    if (!ref) unreadable.push(placed.file);
    else {
      const key = objectKey(ref);
      const entry = { placed, object };
      const others = places.get(key);
      if (others) others.push(entry);
      else places.set(key, [entry]);
    }
  }
  const objects: HubObject[] = [];
  for (const entries of places.values()) {
    const [first, ...others] = entries;
    if (others.length === 0 && first!.object) objects.push(first!.object);
    else for (const { placed } of entries) refused.push(...meantRefs(placed.value));
    for (const { placed } of others)
      findings.push({ placed, issue: twice, ref: writtenRef(placed.value), twin: first!.placed });
  }
  return { objects, refused, unreadable, findings, invalidPools: invalidPools(places) };
}

/** The object as it is written; also with the kind that a misspelt one means, so that it is not taken for removed. */
function meantRefs(value: object): ObjectRef[] {
  const ref = writtenRef(value)!;
  const like = misspeltOf(ref);
  return like === undefined || like === ref.kind ? [ref] : [ref, { ...ref, kind: like }];
}

/** Defined once, and refused for what is in them. */
const invalidPools = (
  places: ReadonlyMap<string, readonly { readonly placed: Placed; readonly object: HubObject | undefined }[]>,
): Manifest[] =>
  [...places.values()].flatMap(([first, ...others]) => {
    const manifest = first!.placed.value as Manifest;
    return isNodePool(manifest) && others.length === 0 && !first!.object ? [manifest] : [];
  });

const twice = error('duplicate-object', ['metadata', 'name'], 'it is defined in two places', 'keep one of them');

const kindOnly = ({ value }: Placed): ObjectRef => {
  const { apiVersion, kind } = value as Manifest;
  return { apiVersion, kind, name: '' };
};

/** Cached by the manifest's identity, so that an unchanged file gives the same value in every load. */
const known = new WeakMap<object, HubObject>();

/** Manifests with valid metadata and data, so that unchanged ones are not checked in every load. */
const sound = new WeakSet<object>();

/** Warnings about sound manifests. */
const warnings = new WeakMap<object, readonly Issue[]>();

const warningsOf = (value: object): readonly Issue[] => warnings.get(value) ?? [];

const isError = ({ severity }: Issue): boolean => severity === 'error';

/** Whether another finding is about the same field, or a field around it. */
const isAmong = ({ path }: Issue, others: readonly Issue[]): boolean =>
  others.some((other) => other.path.every((part, at) => part === path[at]));

function hubObject(
  { value, file }: Placed,
  { crds, shapes }: { readonly crds: CrdScopes; readonly shapes: ShapeCheck },
): { readonly object?: HubObject; readonly issues: readonly Issue[] } {
  const shaped = shapes(value);
  if (!sound.has(value)) {
    const encrypted = encryptedIssues(value);
    if (encrypted.length > 0) return { issues: encrypted };
    const broken = [...metadataIssues(value), ...dataIssues(value)];
    if (broken.length > 0) return { issues: [...broken, ...shaped.filter((issue) => !isAmong(issue, broken))] };
    const issues = nodeResourceIssues(value);
    if (issues.some(isError)) return { issues: [...issues, ...shaped] };
    sound.add(value);
    if (issues.length > 0) warnings.set(value, issues);
  }
  if (shaped.some(isError)) return { issues: [...warningsOf(value), ...shaped] };
  const manifest = value as Manifest;
  const { namespace } = manifest.metadata;
  const declared = scopeOf(manifest, crds);
  const misspelt = declared === undefined ? misspeltKind(manifest) : unservedVersion(manifest);
  if (misspelt.some(isError)) return { issues: misspelt };
  if (declared === 'Namespaced' && !namespace)
    return {
      issues: [
        error('namespace-required', ['metadata'], 'it is namespaced and has no namespace', 'add metadata.namespace'),
      ],
    };
  if (declared === 'Cluster' && namespace)
    return {
      issues: [
        error(
          'namespace-not-allowed',
          ['metadata', 'namespace'],
          'it is cluster-scoped and has a namespace',
          'remove metadata.namespace',
        ),
      ],
    };
  const scope = declared ?? (namespace ? 'Namespaced' : 'Cluster');
  const before = known.get(manifest);
  const read = isConfigMapEnvelope(manifest) ? (before?.enveloped ?? readEnvelope(manifest, file)) : undefined;
  if (Array.isArray(read)) return { issues: read as readonly Issue[] };
  const enveloped = read as HubObject['enveloped'];
  const misplaced = envelopeIssues(manifest, enveloped, crds);
  if (misplaced.length > 0) return { issues: misplaced };
  const issues = [...misspelt, ...warningsOf(manifest), ...shaped];
  if (before?.scope === scope && before.file === file) return { object: before, issues };
  const object: HubObject = { manifest, scope, file, ...(enveloped ? { enveloped } : {}) };
  known.set(manifest, object);
  return { object, issues };
}

/** Issues for which an API server refuses any kind. */
function metadataIssues(value: object): Issue[] {
  const { metadata } = value as { metadata?: unknown };
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    return [error('name-required', ['metadata'], 'it has no name', 'add metadata.name')];
  const { name } = metadata as { name?: unknown };
  if (name === undefined || name === null || name === '') {
    return 'generateName' in metadata
      ? [
          error(
            'generate-name',
            ['metadata', 'generateName'],
            'generateName cannot be placed: every reconciliation would create another object',
            'give it a name',
          ),
        ]
      : [error('name-required', ['metadata'], 'it has no name', 'add metadata.name')];
  }
  const texts = ['name', 'namespace'].flatMap((field) => textIssue(metadata, field, ['metadata']));
  const maps = ['labels', 'annotations'].flatMap((field) => {
    const map = (metadata as Record<string, unknown>)[field] ?? {};
    if (typeof map !== 'object' || Array.isArray(map))
      return [
        error(
          'wrong-type',
          ['metadata', field],
          `${field} must be a map of strings`,
          `write for example ${field}: {key: value}`,
        ),
      ];
    return Object.keys(map).flatMap((key) => textIssue(map, key, ['metadata', field]));
  });
  return [...texts, ...maps, ...nameIssues(value)];
}

function textIssue(map: object, key: string, path: readonly string[]): Issue[] {
  const value = (map as Record<string, unknown>)[key];
  if (value === undefined || value === null || typeof value === 'string') return [];
  const fix = typeof value === 'object' ? 'write a text' : `write "${String(value)}"`;
  return [error('wrong-type', [...path, key], `${key} must be a string`, fix)];
}
