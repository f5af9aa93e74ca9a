import { error, type Issue } from '../../api/issue.ts';
import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { writtenRef } from '../../api/written-ref.ts';
import type { HubObject } from '../../engine/input.ts';
import { isNodePool } from '../../engine/node-pools/pool.ts';
import { isConfigMapEnvelope } from '../../engine/selection/envelope.ts';
import { objectKey } from '../../engine/selection/object-key.ts';
import { builtInIssues, declaredCheck, type ShapeCheck } from '../schemas/kind-shapes.ts';
import { dataIssues } from './data-issues.ts';
import { encryptedIssues } from './encrypted.ts';
import { envelopeIssues, readEnvelope } from './envelope-contents.ts';
import type { Finding, Placed } from './finding.ts';
import { meantRefs, misspeltKind, unservedVersion } from './misspelt-kinds.ts';
import { nodeResourceIssues } from './nodes/node-resource-issues.ts';
import { nameIssues } from './object-names.ts';
import { type CrdScopes, crdScopes, scopeOf } from './scopes.ts';

export interface HubObjects {
  readonly objects: readonly HubObject[];
  readonly refused: readonly ObjectRef[];
  /** Files with a refused object that cannot be identified. */
  readonly unreadable: readonly string[];
  readonly findings: readonly Finding[];
  /** NodePools that are refused for what is in them. */
  readonly invalidPools: readonly Manifest[];
}

/** The manifests under `resources/`, as a hub would have them. An object defined twice is refused. */
export function hubObjects(documents: readonly Placed[]): HubObjects {
  const shapes = declaredCheck(documents);
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
  const invalidPools: Manifest[] = [];
  for (const entries of places.values()) {
    const { placed: first, object } = entries[0]!;
    const isDefinedOnce = entries.length === 1;
    if (isDefinedOnce && object) {
      objects.push(object);
      continue;
    }
    for (const { placed } of entries) refused.push(...meantRefs(writtenRef(placed.value)!));
    for (const { placed } of entries.slice(1))
      findings.push({ placed, issue: twice, ref: writtenRef(placed.value), twin: first });
    const manifest = first.value as Manifest;
    if (isDefinedOnce && isNodePool(manifest)) invalidPools.push(manifest);
  }
  return { objects, refused, unreadable, findings, invalidPools };
}

const twice = error('duplicate-object', ['metadata', 'name'], 'it is defined in two places', 'keep one of them');

const kindOnly = ({ value }: Placed): ObjectRef => {
  const { apiVersion, kind } = value as Manifest;
  return { apiVersion, kind, name: '' };
};

/** Accepted manifests, so that an unchanged one is not checked in every load, and gives the same value. */
const known = new WeakMap<object, { readonly object: HubObject; readonly warnings: readonly Issue[] }>();

const isError = ({ severity }: Issue): boolean => severity === 'error';

/** Whether another finding is about the same field, or a field around it. */
const isAmong = ({ path }: Issue, others: readonly Issue[]): boolean =>
  others.some((other) => other.path.every((part, at) => part === path[at]));

function hubObject(
  { value, file }: Placed,
  { crds, shapes }: { readonly crds: CrdScopes; readonly shapes: ShapeCheck },
): { readonly object?: HubObject; readonly issues: readonly Issue[] } {
  const shaped = shapes(value);
  const before = known.get(value);
  const own = before?.warnings ?? ownIssues(value, shaped);
  if (own.some(isError)) return { issues: own };
  if (shaped.some(isError)) return { issues: [...own, ...shaped] };
  const manifest = value as Manifest;
  const { namespace } = manifest.metadata;
  const declared = scopeOf(manifest, crds);
  const misspelt = declared === undefined ? misspeltKind(manifest) : [];
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
  const read = isConfigMapEnvelope(manifest) ? (before?.object.enveloped ?? readEnvelope(manifest, file)) : undefined;
  if (Array.isArray(read)) return { issues: read as readonly Issue[] };
  const enveloped = read as HubObject['enveloped'];
  const misplaced = envelopeIssues(manifest, enveloped, crds);
  if (misplaced.length > 0) return { issues: misplaced };
  const issues = [...misspelt, ...own, ...shaped];
  if (before?.object.scope === scope && before.object.file === file) return { object: before.object, issues };
  const object: HubObject = { manifest, scope, file, ...(enveloped ? { enveloped } : {}) };
  known.set(manifest, { object, warnings: own });
  return { object, issues };
}

/** Issues of a manifest, whatever else the repo holds. `shaped`: those of its declared kind, which are added to errors. */
function ownIssues(value: object, shaped: readonly Issue[]): readonly Issue[] {
  const encrypted = encryptedIssues(value);
  if (encrypted.length > 0) return encrypted;
  const ofShape = builtInIssues(value);
  const broken = [...metadataIssues(value), ...dataIssues(value)];
  if (broken.length > 0) return [...broken, ...[...ofShape, ...shaped].filter((issue) => !isAmong(issue, broken))];
  const issues = [...unservedVersion(value as Manifest), ...nodeResourceIssues(value), ...ofShape];
  return issues.some(isError) ? [...issues, ...shaped] : issues;
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
  const issues: Issue[] = [];
  const requireText = (map: object, key: string, field?: string): void => {
    const text = (map as Record<string, unknown>)[key];
    if (text === undefined || text === null || typeof text === 'string') return;
    const fix = typeof text === 'object' ? 'write a text' : `write "${String(text)}"`;
    const path = ['metadata', ...(field === undefined ? [] : [field]), key];
    issues.push(error('wrong-type', path, `${key} must be a string`, fix));
  };
  requireText(metadata, 'name');
  requireText(metadata, 'namespace');
  for (const field of ['labels', 'annotations']) {
    const map = (metadata as Record<string, unknown>)[field] ?? {};
    if (typeof map === 'object' && !Array.isArray(map))
      for (const key of Object.keys(map)) requireText(map, key, field);
    else {
      const fix = `write for example ${field}: {key: value}`;
      issues.push(error('wrong-type', ['metadata', field], `${field} must be a map of strings`, fix));
    }
  }
  return [...issues, ...nameIssues(value)];
}
