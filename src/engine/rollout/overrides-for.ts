import type { ClusterName } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import { compileOverrides, matchCompiled } from '../overrides/match.ts';
import type { OverrideLists } from '../overrides/snapshot-id.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { World } from '../world.ts';

/** The override snapshots that apply to a cluster with the contents of an index. `only`: the ids that a rollback is limited to. */
export function overridesFor(
  work: PlacementWork,
  world: World,
  index: number,
  only?: readonly string[],
): (cluster: ClusterName) => OverrideLists {
  const compiled = compileOverrides(refOf(work.placement), work.contents.get(index) ?? [], world.overrides, only);
  return (cluster) => matchCompiled(compiled, { name: cluster, labels: world.members.get(cluster)?.labels ?? {} });
}
