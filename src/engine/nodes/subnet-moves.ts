import type { Manifest } from '../../api/meta.ts';
import { isSubnetId } from '../../api/nodes/subnet-id.ts';
import type { Problem } from '../../api/problem.ts';
import { conditionAt, textAt } from '../node-pools/read-fields.ts';
import type { World } from '../world.ts';
import type { NodeMember } from './node-members.ts';

/**
 * Node classes that move to another subnet. AKS supports only the repair of an id that is malformed or names no subnet; between valid
 * ones new nodes may not reach the others.
 */
export function subnetMoves({ name, classes }: Pick<NodeMember, 'name' | 'classes'>, world: World): Problem[] {
  // What the rollout has not brought yet will come.
  const names = new Set(classes.map(({ metadata }) => metadata.name));
  const written = world.input.fleet.resources.flatMap(({ manifest }) =>
    manifest.kind === 'AKSNodeClass' && names.has(manifest.metadata.name) ? [manifest] : [],
  );
  return [...classes, ...written].flatMap((manifest): Problem[] => {
    const wanted = textAt(manifest, 'spec', 'vnetSubnetID');
    const before = formerOf(manifest, name, world);
    const had = textAt(before, 'spec', 'vnetSubnetID');
    const isRepair =
      had === undefined || !isSubnetId(had) || conditionAt(before, 'SubnetsReady')?.['status'] === 'False';
    if (isRepair || wanted === undefined || wanted.toLowerCase() === had.toLowerCase()) return [];
    const { name: own } = manifest.metadata;
    const file = world.input.fleet.resources.find((one) => isSame(one.manifest, manifest))?.file;
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

/** The class as the cluster shows it, else as it was placed there last. */
function formerOf(manifest: Manifest, cluster: NodeMember['name'], world: World): Manifest | undefined {
  const { objects = [], extras = [] } = world.observationOf(cluster) ?? {};
  const live = [...extras, ...objects].find((other) => isSame(other, manifest) && other['spec'] !== undefined);
  if (live !== undefined) return live;
  return [...world.record.placements.values()]
    .flatMap(({ state, snapshots }) =>
      state.bindings.flatMap(({ targetCluster, resourceSnapshotIndex: index }) =>
        targetCluster === cluster && index !== undefined ? (snapshots.get(index) ?? []) : [],
      ),
    )
    .find((other) => isSame(other, manifest));
}

const isSame = (a: Manifest, b: Manifest): boolean => a.kind === b.kind && a.metadata.name === b.metadata.name;
