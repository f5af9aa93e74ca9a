/** What a document holds: the items of a list (`kind: List`, `DeploymentList`), nothing for an empty one, otherwise itself. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  const { kind, items } = value as { kind?: unknown; items?: unknown };
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [value];
}
