import { error, type Issue } from '../../api/issue.ts';
import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { writtenRef } from '../../api/written-ref.ts';
import type { HubObject } from '../../engine/input.ts';
import { isNodePool } from '../../engine/node-pools/pool.ts';
import { isConfigMapEnvelope } from '../../engine/selection/envelope.ts';
import { objectKey } from '../../engine/selection/object-key.ts';
import { builtInIssues, declaredCheck, enveloped, type ShapeCheck } from '../schemas/kind-shapes.ts';
import { dataIssues } from './data-issues.ts';
import { encryptedIssues } from './encrypted.ts';
import { envelopeIssues, type ReadEnvelope, readEnvelope } from './envelope-contents.ts';
import type { Finding, Placed } from './finding.ts';
import { meantManifest, meantRefs, misspeltKind, undeclaredVersion, unservedVersion } from './misspelt-kinds.ts';
import { nodeResourceIssues } from './nodes/node-resource-issues.ts';
import { nameIssues } from './object-names.ts';
import { type CrdKinds, crdKinds, scopeOf } from './scopes.ts';

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
  const crds = crdKinds(documents);
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

/** The issues, without those about a field that another of `first` is about. */
const notAmong = (issues: readonly Issue[], first: readonly Issue[]): readonly Issue[] => {
  if (issues.length === 0 || first.length === 0) return issues;
  const paths = new Set(first.map(({ path }) => path.join('\0')));
  return issues.filter(({ path }) => !paths.has(path.join('\0')));
};

/** An object unless it has an error, with all its issues but those that follow from another. */
function hubObject(
  { value, file }: Placed,
  { crds, shapes }: { readonly crds: CrdKinds; readonly shapes: ShapeCheck },
): { readonly object?: HubObject; readonly issues: readonly Issue[] } {
  const encrypted = encryptedIssues(value);
  if (encrypted.length > 0) return { issues: encrypted };
  const manifest = value as Manifest;
  const before = known.get(value);
  const declared = scopeOf(manifest, crds);
  const misspelt = declared === undefined ? misspeltKind(manifest) : [];
  const meant = misspelt.length === 0 ? manifest : meantManifest(manifest);
  const own = before?.warnings ?? ownIssues(meant);
  const issues = [...misspelt, ...own, ...notAmong(shapes(value), own), ...undeclaredVersion(manifest, crds)];
  if (!isMap(manifest.metadata)) return { issues };
  issues.push(...namespaceIssues(manifest, scopeOf(meant, crds)));
  const { contents, issues: found } = readOnce(manifest, file, before?.object);
  const inside = notAmong(found, own);
  issues.push(...inside, ...envelopeIssues(manifest, contents, crds));
  if (issues.some(isError)) return { issues };
  const scope = declared ?? (manifest.metadata.namespace ? 'Namespaced' : 'Cluster');
  if (before?.object.scope === scope && before.object.file === file) return { object: before.object, issues };
  const object: HubObject = { manifest, scope, file, ...(contents && { enveloped: contents }) };
  known.set(manifest, { object, warnings: [...own, ...inside] });
  return { object, issues };
}

/** The contents of a ConfigMap that is an envelope. */
function readOnce(manifest: Manifest, file: string, before: HubObject | undefined): ReadEnvelope {
  if (!isConfigMapEnvelope(manifest)) return { issues: [] };
  if (before?.enveloped) return { contents: before.enveloped, issues: [] };
  const { contents = {}, issues } = readEnvelope(manifest, file);
  const inside = Object.entries(contents).flatMap(([key, inner]) =>
    ownIssues(inner).map((issue) => ({ ...issue, path: ['data', key], message: `data.${key}: ${issue.message}` })),
  );
  return { contents, issues: [...issues, ...inside] };
}

function namespaceIssues({ metadata: { namespace } }: Manifest, scope: HubObject['scope'] | undefined): Issue[] {
  if (scope === 'Namespaced' && !namespace) {
    const message = 'it is namespaced and has no namespace';
    return [error('namespace-required', ['metadata'], message, 'add metadata.namespace')];
  }
  if (scope !== 'Cluster' || !namespace) return [];
  const message = 'it is cluster-scoped and has a namespace';
  return [error('namespace-not-allowed', ['metadata', 'namespace'], message, 'remove metadata.namespace')];
}

/** Issues of a manifest, whatever else the repo holds. */
function ownIssues(value: Manifest): readonly Issue[] {
  const inside = enveloped(value).flatMap(([key, inner]) =>
    brokenParts(inner).map((issue) => ({ ...issue, path: ['data', key, ...issue.path] })),
  );
  const broken = [...brokenParts(value), ...inside];
  const ofNodes = isMap(value.metadata) ? nodeResourceIssues(value) : [];
  return [...broken, ...unservedVersion(value), ...ofNodes, ...notAmong(builtInIssues(value), broken)];
}

const brokenParts = (value: object): Issue[] => [...metadataIssues(value), ...dataIssues(value)];

const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Issues for which an API server refuses any kind. */
function metadataIssues(value: object): Issue[] {
  const { metadata } = value as { metadata?: unknown };
  if (!isMap(metadata)) return [nameless];
  const issues: Issue[] = [];
  const { name } = metadata as { name?: unknown };
  if (name === undefined || name === null || name === '')
    issues.push('generateName' in (metadata as object) ? generated : nameless);
  const requireText = (map: object, key: string, field?: string): void => {
    const text = (map as Record<string, unknown>)[key];
    if (text === undefined || text === null || typeof text === 'string') return;
    const fix = typeof text === 'object' ? 'write a text' : `write "${String(text)}"`;
    const path = ['metadata', ...(field === undefined ? [] : [field]), key];
    issues.push(error('wrong-type', path, `${path.join('.')} must be a string`, fix));
  };
  requireText(metadata as object, 'name');
  requireText(metadata as object, 'namespace');
  for (const field of ['labels', 'annotations']) {
    const map = (metadata as Record<string, unknown>)[field] ?? {};
    if (typeof map === 'object' && !Array.isArray(map))
      for (const key of Object.keys(map)) requireText(map, key, field);
    else {
      const fix = `write for example ${field}: {key: value}`;
      issues.push(error('wrong-type', ['metadata', field], `metadata.${field} must be a map of strings`, fix));
    }
  }
  return [...issues, ...nameIssues(value)];
}

const nameless = error('name-required', ['metadata'], 'it has no name', 'add metadata.name');
const generated = error(
  'generate-name',
  ['metadata', 'generateName'],
  'generateName cannot be placed: every reconciliation would create another object',
  'give it a name',
);
