import { type Issue, warning } from '../../api/issue.ts';
import type { Fields } from '../../engine/kernel/fields.ts';
import { unmatchedLabels } from '../../engine/server-rules/object-causes.ts';

const kinds: ReadonlySet<unknown> = new Set(['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet']);

const fieldOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>> | null)?.[name];

/** Labels that a workload selects its pods by, and that its own template does not have: API servers refuse the object. */
export function unmatchedTemplate(manifest: object): Issue[] {
  if (fieldOf(manifest, 'apiVersion') !== 'apps/v1' || !kinds.has(fieldOf(manifest, 'kind'))) return [];
  const spec = fieldOf(manifest, 'spec');
  // Missing fields and wrong types are reported by themselves.
  if (typeof fieldOf(spec, 'template') !== 'object') return [];
  return unmatchedLabels(manifest as Fields).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [];
    const why = `spec.template.metadata.labels lacks ${key}: ${value}, which the selector requires: API servers refuse the object`;
    return [warning('invalid-selector', ['spec', 'selector', 'matchLabels', key], why, 'use equal labels in both')];
  });
}
