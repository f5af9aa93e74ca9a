import type { Manifest } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { isNodePool, readPool } from './pool.ts';

/** Changes of a NodePool that clusters refuse (transition rules of Karpenter's CRD): the pool there stays as it is. */
export function refusedChanges(before: Manifest, after: Manifest, file: string | undefined): readonly Problem[] {
  return changesOf(before, after).map(({ path, message }) => ({
    severity: 'error',
    code: 'immutable-field',
    ...(file === undefined ? {} : { file }),
    path,
    message: `NodePool ${after.metadata.name}: ${message}, which Karpenter refuses: the pool stays as it is`,
    fix: 'write a NodePool of another name, and remove this one once its nodes are gone',
  }));
}

/** NodePools for a cluster, by name, as it has them from then on: the ones that it shows stay where it refuses the change. */
export const acceptedPools = (
  own: readonly Manifest[],
  live: ReadonlyMap<string, Manifest>,
): ReadonlyMap<string, Manifest> =>
  new Map(
    own.map((manifest) => {
      const { name } = manifest.metadata;
      const before = live.get(name);
      const isRefused = before !== undefined && refusedChanges(before, manifest, undefined).length > 0;
      return [name, isRefused ? before : manifest];
    }),
  );

export const byPoolName = (objects: readonly Manifest[]): ReadonlyMap<string, Manifest> =>
  new Map(objects.filter(isNodePool).map((manifest) => [manifest.metadata.name, manifest]));

function changesOf(before: Manifest, after: Manifest): { readonly path: string; readonly message: string }[] {
  // A cluster may show an object by its name only.
  if (before['spec'] === undefined) return [];
  const [was, is] = [readPool(before, undefined), readPool(after, undefined)];
  const [had, has] = [was.template.nodeClass, is.template.nodeClass];
  const ofClass = (['group', 'kind'] as const).flatMap((field) => {
    if (had === undefined || has === undefined || had[field] === has[field]) return [];
    const path = `spec.template.spec.nodeClassRef.${field}`;
    return [{ path, message: `${field} of nodeClassRef changes from ${had[field]} to ${has[field]}` }];
  });
  if ((was.replicas === undefined) === (is.replicas === undefined)) return ofClass;
  const message = is.replicas === undefined ? 'replicas is removed' : 'replicas is added';
  return [...ofClass, { path: 'spec.replicas', message }];
}
