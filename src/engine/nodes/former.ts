import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { World } from '../world.ts';

/** An object as the cluster shows it, else as it was placed there last; undefined = it is new there. */
export function formerOf(manifest: Manifest, cluster: ClusterName, world: World): Manifest | undefined {
  const { objects = [], extras = [] } = world.nodesOf(cluster) ?? {};
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

/** Objects that a cluster gets, and the same ones as files write them by now: what the rollout has not brought yet will come. */
export function withWritten(delivered: readonly Manifest[], { admitted }: World): readonly Manifest[] {
  const written = admitted.resources.flatMap(({ manifest }) =>
    delivered.some((own) => isSame(own, manifest)) ? [manifest] : [],
  );
  return [...delivered, ...written];
}

export const fileOf = (manifest: Manifest, { input: { fleet } }: World): string | undefined =>
  fleet.resources.find((one) => isSame(one.manifest, manifest))?.file;

const isSame = (a: Manifest, b: Manifest): boolean =>
  a.kind === b.kind && a.metadata.name === b.metadata.name && a.apiVersion.split('/')[0] === b.apiVersion.split('/')[0];
