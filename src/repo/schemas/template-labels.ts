import { type Issue, warning } from '../../api/issue.ts';
import type { Fields } from '../../engine/kernel/fields.ts';
import { unmatchedExpressions, unmatchedLabels } from '../../engine/server-rules/workload-causes.ts';

const kinds: ReadonlySet<unknown> = new Set(['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet']);

const fieldOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>> | null)?.[name];

/** Labels and expressions that a workload selects its pods by, and that its own template does not have: API servers refuse the object. */
export function unmatchedTemplate(manifest: object): Issue[] {
  if (fieldOf(manifest, 'apiVersion') !== 'apps/v1' || !kinds.has(fieldOf(manifest, 'kind'))) return [];
  const spec = fieldOf(manifest, 'spec');
  // Missing fields and wrong types are reported by themselves.
  if (typeof fieldOf(spec, 'template') !== 'object') return [];
  const fix = 'use equal labels in both';
  const ofLabels = unmatchedLabels(manifest as Fields).flatMap(([key, value]): Issue[] => {
    if (typeof value !== 'string') return [];
    const why = `spec.template.metadata.labels lacks ${key}: ${value}, which the selector requires: API servers refuse the object`;
    return [warning('invalid-selector', ['spec', 'selector', 'matchLabels', key], why, fix)];
  });
  const why = 'spec.template.metadata.labels do not match an expression of the selector: API servers refuse the object';
  return [
    ...ofLabels,
    ...unmatchedExpressions(manifest as Fields).map((index) =>
      warning('invalid-selector', ['spec', 'selector', 'matchExpressions', index], why, fix),
    ),
  ];
}
