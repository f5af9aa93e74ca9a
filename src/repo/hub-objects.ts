import type { Manifest } from '../api/meta.ts';
import type { Problem } from '../api/problem.ts';
import type { HubObject } from '../engine/input.ts';
import { builtInScope } from '../engine/selection/scope.ts';
import { parseYaml } from './parse-yaml.ts';

/** One manifest under `resources/` and where it stands. */
export interface Found {
  readonly manifest: Manifest;
  readonly file: string;
  readonly line: number;
}

/** Kinds of the repo's own CRDs, by `group/kind`. */
export type CrdScopes = ReadonlyMap<string, 'Cluster' | 'Namespaced'>;

export function crdScopes(found: readonly Found[]): CrdScopes {
  const scopes = new Map<string, 'Cluster' | 'Namespaced'>();
  for (const { manifest } of found) {
    if (manifest.kind !== 'CustomResourceDefinition') continue;
    const spec = manifest['spec'] as { group?: string; scope?: string; names?: { kind?: string } } | undefined;
    if (spec?.group && spec.names?.kind && (spec.scope === 'Cluster' || spec.scope === 'Namespaced'))
      scopes.set(`${spec.group}/${spec.names.kind}`, spec.scope);
  }
  return scopes;
}

/**
 * What the hub would hold of a manifest: its scope by the built-in table, then by the repo's CRDs, then by whether it names
 * a namespace. Remembered by the manifest's identity, so that an unchanged file gives the same value in every load.
 */
export function hubObject(
  found: Found,
  crds: CrdScopes,
): { readonly object?: HubObject; readonly problems: readonly Problem[] } {
  const { manifest, file, line } = found;
  const problem = (code: string, message: string, fix: string): { problems: Problem[] } => ({
    problems: [
      {
        severity: 'error',
        code,
        file,
        line,
        column: 1,
        path: 'metadata',
        message: `${manifest.kind} ${manifest.metadata?.name ?? ''}: ${message}`,
        fix,
      },
    ],
  });
  const { metadata } = manifest;
  if (metadata === undefined || typeof metadata.name !== 'string' || metadata.name === '') {
    return metadata && 'generateName' in metadata
      ? problem(
          'generate-name',
          'generateName cannot be placed: every pass would make another object',
          'give it a name',
        )
      : problem('name-required', 'it has no name', 'add metadata.name');
  }
  const group = manifest.apiVersion.includes('/') ? manifest.apiVersion.split('/')[0]! : '';
  const known = builtInScope(group, manifest.kind) ?? crds.get(`${group}/${manifest.kind}`);
  const scope = known ?? (metadata.namespace ? 'Namespaced' : 'Cluster');
  if (known === 'Namespaced' && !metadata.namespace)
    return problem('namespace-required', 'it is namespaced and names no namespace', 'add metadata.namespace');
  if (known === 'Cluster' && metadata.namespace)
    return problem('namespace-not-allowed', 'it is cluster-scoped and names a namespace', 'remove metadata.namespace');
  const remembered = objects.get(manifest);
  if (remembered?.scope === scope && remembered.file === file) return { object: remembered, problems: [] };
  const { enveloped, problems } = envelopeContents(manifest, file, line);
  if (problems.length > 0) return { problems };
  const object: HubObject = { manifest, scope, file, ...(enveloped ? { enveloped } : {}) };
  objects.set(manifest, object);
  return { object, problems: [] };
}

const objects = new WeakMap<Manifest, HubObject>();

/** A ConfigMap envelope holds its manifests as texts (decision: accepted in v1 and v1beta1); they are read here, once. */
function envelopeContents(
  manifest: Manifest,
  file: string,
  line: number,
): { readonly enveloped?: Readonly<Record<string, Manifest>>; readonly problems: readonly Problem[] } {
  if (
    manifest.kind !== 'ConfigMap' ||
    manifest.metadata.annotations?.['kubernetes-fleet.io/envelope-configmap'] !== 'true'
  )
    return { problems: [] };
  const enveloped: Record<string, Manifest> = {};
  for (const [key, text] of Object.entries((manifest['data'] ?? {}) as Record<string, unknown>)) {
    const parsed = parseYaml(String(text), file);
    const value = parsed.documents[0]?.value as Manifest | undefined;
    if (parsed.problems.length > 0 || parsed.documents.length !== 1 || !value?.apiVersion || !value.kind) {
      const message = `ConfigMap ${manifest.metadata.name}: data.${key} is not one manifest${parsed.problems[0] ? `: ${parsed.problems[0].message}` : ''}`;
      return {
        problems: [
          {
            severity: 'error',
            code: 'invalid-envelope',
            file,
            line,
            column: 1,
            path: `data.${key}`,
            message,
            fix: 'write exactly one Kubernetes object',
          },
        ],
      };
    }
    enveloped[key] = value;
  }
  return { enveloped, problems: [] };
}
