import type { Condition } from '../api/meta.ts';
import type { Change } from './watch/store.ts';

/** The group-versions that are served, or not any more, since a CustomResourceDefinition changed; undefined for other changes. */
export function servedBy({ object, how }: Change): ReadonlySet<string> | undefined {
  if (object.kind !== 'CustomResourceDefinition') return undefined;
  const { spec, status } = object as unknown as {
    readonly spec: { readonly group: string; readonly versions: readonly { readonly name: string }[] };
    readonly status?: { readonly conditions?: readonly Condition[] };
  };
  const established = status?.conditions?.some((has) => has.type === 'Established' && has.status === 'True');
  if (how === 'set' && !established) return undefined;
  return new Set(spec.versions.map((version) => `${spec.group}/${version.name}`));
}
