import type { Problem } from '../../api/problem.ts';
import { type Pool, readPool } from '../node-pools/pool.ts';
import type { World } from '../world.ts';
import { fileOf, formerOf, withWritten } from './former.ts';
import type { NodeMember } from './node-members.ts';

/** Changes of NodePools that their clusters refuse (transition rules of Karpenter's CRD): the pool there stays as it is. */
export function poolTransitions({ name, ownPools }: Pick<NodeMember, 'name' | 'ownPools'>, world: World): Problem[] {
  return withWritten(ownPools, world).flatMap((manifest): Problem[] => {
    const former = formerOf(manifest, name, world);
    if (former === undefined) return [];
    const file = fileOf(manifest, world);
    return changesOf(readPool(former, undefined), readPool(manifest, undefined)).map(({ path, message }) => ({
      severity: 'error',
      code: 'immutable-field',
      ...(file === undefined ? {} : { file }),
      path,
      message: `NodePool ${manifest.metadata.name}: ${message}, which Karpenter refuses: the pool stays as it is`,
      fix: 'write a NodePool of another name, and remove this one once its nodes are gone',
    }));
  });
}

function changesOf(before: Pool, after: Pool): { readonly path: string; readonly message: string }[] {
  const [had, has] = [before.template.nodeClass, after.template.nodeClass];
  const ofClass = (['group', 'kind'] as const).flatMap((field) => {
    if (had === undefined || has === undefined || had[field] === has[field]) return [];
    const path = `spec.template.spec.nodeClassRef.${field}`;
    return [{ path, message: `${field} of nodeClassRef changes from ${had[field]} to ${has[field]}` }];
  });
  if ((before.replicas === undefined) === (after.replicas === undefined)) return ofClass;
  const message = after.replicas === undefined ? 'replicas is removed' : 'replicas is added';
  return [...ofClass, { path: 'spec.replicas', message }];
}
