import { type Issue, warning } from '../../api/issue.ts';

const kinds: ReadonlySet<unknown> = new Set(['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet']);

const fieldOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>> | null)?.[name];

/** Labels that a workload selects its pods by, and that its own template does not have: API servers refuse the object. */
export function unmatchedTemplate(manifest: object): Issue[] {
  if (fieldOf(manifest, 'apiVersion') !== 'apps/v1' || !kinds.has(fieldOf(manifest, 'kind'))) return [];
  const spec = fieldOf(manifest, 'spec');
  const template = fieldOf(spec, 'template');
  const wanted = fieldOf(fieldOf(spec, 'selector'), 'matchLabels');
  // Missing fields and wrong types are reported by themselves.
  if (typeof template !== 'object' || typeof wanted !== 'object') return [];
  const labels = fieldOf(fieldOf(template, 'metadata'), 'labels');
  return Object.entries(wanted ?? {}).flatMap(([key, value]) => {
    if (typeof value !== 'string' || fieldOf(labels, key) === value) return [];
    const why = `spec.template.metadata.labels lacks ${key}: ${value}, which the selector requires: API servers refuse the object`;
    return [warning('invalid-selector', ['spec', 'selector', 'matchLabels', key], why, 'use equal labels in both')];
  });
}
