import { error, type Issue } from '../../api/issue.ts';
import type { Manifest } from '../../api/meta.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { undeclaredVersion } from './misspelt-kinds.ts';
import { type CrdKinds, scopeOf } from './scopes.ts';

type Contents = Readonly<Record<string, Manifest>>;

export interface ReadEnvelope {
  readonly contents?: Contents;
  readonly issues: readonly Issue[];
}

/** The manifests in a ConfigMap envelope by key, and issues with the others. */
export function readEnvelope(manifest: Manifest, file: string): ReadEnvelope {
  const issues: Issue[] = [];
  const contents: Record<string, Manifest> = {};
  for (const [key, text] of Object.entries((manifest['data'] ?? {}) as Record<string, unknown>)) {
    const parsed = parseYaml(typeof text === 'string' ? text : '', file);
    const [only, ...others] = parsed.documents.map(({ value }) => value as Partial<Manifest>);
    const [problem] = parsed.problems;
    if (problem || !only || others.length > 0 || !only.apiVersion || !only.kind || !only.metadata?.name) {
      const why = problem ? `: ${problem.message} (its line ${problem.line})` : '';
      issues.push(
        invalid(key, `data.${key} is not one manifest with a name${why}`, 'write exactly one Kubernetes object'),
      );
    } else contents[key] = only as Manifest;
  }
  return { contents, issues };
}

/**
 * An envelope may contain objects of its own namespace, or cluster-scoped ones, according to its kind. KubeFleet's work generator
 * fails on others (envelope.go).
 */
export function envelopeIssues(manifest: Manifest, enveloped: Contents | undefined, crds: CrdKinds): Issue[] {
  const { kind, apiVersion, metadata } = manifest;
  const typed = apiVersion.startsWith('placement.kubernetes-fleet.io/');
  const contents = enveloped ?? (typed ? ((manifest['data'] ?? {}) as Contents) : {});
  return Object.entries(contents).flatMap(([key, inner]) => {
    const versions = undeclaredVersion(inner, crds).map((issue) => ({ ...issue, path: ['data', key] }));
    const { namespace } = inner.metadata;
    const scope = scopeOf(inner, crds) ?? (namespace ? 'Namespaced' : 'Cluster');
    if (scope === 'Cluster')
      return kind === 'ResourceEnvelope'
        ? [...versions, invalid(key, `${inner.kind} is cluster-scoped`, 'put it into a ClusterResourceEnvelope')]
        : versions;
    if (kind === 'ClusterResourceEnvelope')
      return [
        ...versions,
        invalid(key, `${inner.kind} is namespaced`, 'put it into a ResourceEnvelope of its namespace'),
      ];
    return namespace === metadata.namespace
      ? versions
      : [
          ...versions,
          invalid(
            key,
            namespace ? `${inner.kind} is of namespace ${namespace}` : `${inner.kind} has no namespace`,
            `an envelope contains objects of its own namespace: write namespace: ${metadata.namespace}`,
          ),
        ];
  });
}

const invalid = (key: string, message: string, fix: string): Issue =>
  error('invalid-envelope', ['data', key], message, fix);
