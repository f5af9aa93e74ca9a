import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import { targetContent } from '../../../engine/delivery/target-content.ts';
import { digestAnnotation } from '../../../engine/overrides/ownership.ts';
import type { PlanResult } from '../../../engine/plan.ts';
import type { PlacementTarget } from '../../../engine/plan-document.ts';
import { keyOfManifest, objectKey } from '../../../engine/selection/object-key.ts';
import type { Assignment } from '../../../members/assignment.ts';
import type { UnprovenBindings } from './external-bindings.ts';
import { mismatch } from './mismatch.ts';

/** Targets that only an unproven claim of the record supports: their clusters keep what they have. */
export interface WithheldTargets {
  readonly isWithheld: (cluster: ClusterName, key: PlacementKey) => boolean;
  /** Claims that the clusters confirm. */
  readonly shown: readonly { readonly key: PlacementKey; readonly cluster: ClusterName }[];
  readonly problems: readonly Problem[];
}

export const nothingWithheld: WithheldTargets = { isWithheld: () => false, shown: [], problems: [] };

/** Which targets of a plan are withheld. Without observations: all that are not proven. */
export function withheldTargets(
  result: PlanResult,
  unproven: UnprovenBindings,
  observations: ReadonlyMap<ClusterName, ClusterObservation> | undefined,
): WithheldTargets {
  if (unproven.size === 0) return nothingWithheld;
  const withheld = new Set<string>();
  const shown: { readonly key: PlacementKey; readonly cluster: ClusterName }[] = [];
  const problems: Problem[] = [];
  for (const target of result.plan.targets) {
    const { clusterName: cluster, resourceSnapshotIndex: index } = target;
    const key = placementKey(target.placement);
    // Targets that this plan moves do not depend on a claim.
    if (target.remove || index === undefined || unproven.get(key)?.get(cluster) !== index) continue;
    const observation = observations?.get(cluster);
    if (observation?.reachable && shows(observation, target, result)) {
      shown.push({ key, cluster });
      continue;
    }
    withheld.add(idOf(cluster, key));
    if (observation?.reachable && observation.complete) problems.push(notShown(key, cluster, index));
  }
  return { isWithheld: (cluster, key) => withheld.has(idOf(cluster, key)), shown, problems };
}

const idOf = (cluster: ClusterName, key: PlacementKey): string => `${cluster} ${key}`;

/** Whether the cluster shows the target: some objects have its digests, and none has another. */
function shows(observation: ClusterObservation, target: PlacementTarget, { contents }: PlanResult): boolean {
  const content = targetContent(contents, target);
  if (content === undefined || content.leaveAlone) return false;
  const digests = new Map(
    observation.objects.map((object) => [
      objectKey({ ...object, ...object.metadata }),
      object.metadata.annotations?.[digestAnnotation],
    ]),
  );
  const found = content.manifests.flatMap(({ manifest }) => {
    const key = keyOfManifest(manifest);
    return digests.has(key) ? [digests.get(key) === manifest.metadata.annotations?.[digestAnnotation]] : [];
  });
  return found.length > 0 && found.every((same) => same);
}

const notShown = (key: PlacementKey, cluster: ClusterName, index: number): Problem =>
  mismatch(
    `placements/${key}/state.yaml`,
    `no verified update run rolled out snapshot ${index} to ${cluster}, and ${cluster} does not show it: ${cluster} keeps what it has until an update run updates it`,
  );

/** The assignment of a withheld target: objects stay as they are, and no snapshot is reported. */
export function leftAsItIs({ digest: _d, resourceSnapshotIndex: _i, ...assignment }: Assignment): Assignment {
  return { ...assignment, leaveAlone: true, manifests: [] };
}
