import { isSubnetId } from '../../api/nodes/subnet-id.ts';
import type { Problem } from '../../api/problem.ts';
import { conditionAt, textAt } from '../node-pools/read-fields.ts';
import type { World } from '../world.ts';
import { fileOf, formerOf, withWritten } from './former.ts';
import type { NodeMember } from './node-members.ts';

/**
 * Node classes that move to another subnet. AKS supports only the repair of an id that is malformed or names no subnet; between valid
 * ones new nodes may not reach the others.
 */
export function subnetMoves({ name, classes }: Pick<NodeMember, 'name' | 'classes'>, world: World): Problem[] {
  return withWritten(classes, world).flatMap((manifest): Problem[] => {
    const wanted = textAt(manifest, 'spec', 'vnetSubnetID');
    const before = formerOf(manifest, name, world);
    const had = textAt(before, 'spec', 'vnetSubnetID');
    const isRepair =
      had === undefined || !isSubnetId(had) || conditionAt(before, 'SubnetsReady')?.['status'] === 'False';
    if (isRepair || wanted === undefined || wanted.toLowerCase() === had.toLowerCase()) return [];
    const { name: own } = manifest.metadata;
    const file = fileOf(manifest, world);
    return [
      {
        severity: 'warning',
        code: 'node-disruption',
        ...(file === undefined ? {} : { file }),
        path: 'spec.vnetSubnetID',
        value: wanted,
        message: `AKSNodeClass ${own}: vnetSubnetID moves from ${had} to ${wanted}, which AKS does not support: all of its nodes drift`,
        fix: 'keep the subnet, or write a new AKSNodeClass with its own NodePool',
        rule: 'SubnetMove',
      },
    ];
  });
}
