import type { Condition, Manifest, ObjectRef } from '../api/meta.ts';
import { definitionIn } from '../engine/selection/custom-definition.ts';
import type { Change } from './watch/store.ts';

/** Whether a manifest is the CRD that serves the kind of an object, in its version. */
export function defines(manifest: Manifest, { apiVersion, kind }: ObjectRef): boolean {
  const definition = definitionIn(manifest);
  return definition?.kind === kind && definition.served.includes(apiVersion);
}

/** The group-versions that a change of a CustomResourceDefinition affects; undefined for other changes. */
export function servedBy({ object, how }: Change): ReadonlySet<string> | undefined {
  const definition = definitionIn(object);
  if (definition === undefined) return undefined;
  return how === 'set' && progressOf(object) !== 'established' ? undefined : new Set(definition.apiVersions);
}

/** How far a CustomResourceDefinition on the member is. `refused`: its names are taken, so waiting is of no use. */
export function progressOf(definition: Manifest | undefined): 'pending' | 'refused' | 'established' {
  const { conditions = [] } = (definition?.['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
  const has = (type: string, status: string) => conditions.some((one) => one.type === type && one.status === status);
  if (has('Established', 'True')) return 'established';
  return has('NamesAccepted', 'False') ? 'refused' : 'pending';
}
