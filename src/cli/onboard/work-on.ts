import type { ClusterName, Manifest } from '../../api/meta.ts';
import { nodeDisruptionAnnotation } from '../../api/nodes/disruption-modes.ts';
import { placementKey, refOf } from '../../api/placement.ts';
import { recordedContent, renderedFor } from '../../engine/delivery/target-content.ts';
import type { PlanInput } from '../../engine/input.ts';
import { actingMode } from '../../engine/nodes/acting-mode.ts';
import { chooseByProperties } from '../../engine/placement/rules/cluster-affinity.ts';
import type { PlanResult } from '../../engine/plan.ts';
import { definitionIn } from '../../engine/selection/custom-definition.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import { placementTargets } from '../../engine/target-kinds.ts';
import { providerAnnotation, upgradeProviderNamed } from '../../engine/upgrade/member-annotations.ts';
import type { PluralOf, Work } from '../../members/rights.ts';

/**
 * What gitfleet does on a cluster: what it applies there now and, once rollouts and update runs are done, what the files say for
 * the placements that pick it; and what the record has there, which it may have to remove.
 */
export function workOn(cluster: ClusterName, input: PlanInput, { plan, contents }: PlanResult): Work {
  const { staying, works, world } = contents;
  const targets = placementTargets(plan.targets).filter(({ clusterName }) => clusterName === cluster);
  const now = targets.flatMap((target) => {
    const work = works.get(placementKey(target.placement));
    return work ? renderedFor(work, target, world).map(({ manifest }) => manifest) : [];
  });
  const later = staying.flatMap(({ placement, decisions, selection }) => {
    if (!selection.ok || !decisions.some(({ clusterName, selected }) => selected && clusterName === cluster)) return [];
    const rendered = world.render({ placement: refOf(placement), manifests: selection.manifests, lists: {}, cluster });
    return rendered.ok ? rendered.manifests.map(({ manifest }) => manifest) : [];
  });
  const placed = [...new Map([...now, ...later].map((manifest) => [keyOfManifest(manifest), manifest])).values()];
  const member = input.fleet.members.find(({ metadata }) => metadata.name === cluster)?.metadata;
  const isAnnotated = member?.annotations?.[nodeDisruptionAnnotation] !== undefined;
  return {
    placed,
    removed: targets.flatMap((target) => recordedContent(contents, target).map(refOfManifest)),
    // Where it is not known whether NodeClaims stand for its machines, what is written may be carried out.
    nodes:
      member && isAnnotated
        ? actingMode(member, world.nodesOf(cluster), 'execute')
        : placed.some(isNodePool)
          ? 'delegate'
          : undefined,
    properties: chooseByProperties(input.fleet, input.record),
    upgrades: upgradeProviderNamed(member?.annotations?.[providerAnnotation]),
  };
}

const isNodePool = ({ apiVersion, kind }: Manifest): boolean =>
  kind === 'NodePool' && groupVersionOf(apiVersion).group === 'karpenter.sh';

/** Plurals of kinds that CRDs of the fleet repo define. */
export function pluralsOf({ fleet }: Pick<PlanInput, 'fleet'>): PluralOf {
  const definitions = fleet.resources.flatMap(({ manifest }) => definitionIn(manifest) ?? []);
  return (apiVersion, kind) =>
    definitions.find((of) => of.kind === kind && of.apiVersions.includes(apiVersion))?.plural;
}
