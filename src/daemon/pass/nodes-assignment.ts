import type { Manifest } from '../../api/meta.ts';
import { isFields } from '../../engine/kernel/fields.ts';
import { readPool } from '../../engine/node-pools/pool.ts';
import { listAt } from '../../engine/node-pools/read-fields.ts';
import type { Amounts } from '../../engine/node-pools/resources.ts';
import { fixedLabels, labelsOfNew } from '../../engine/nodes/launch/launchables.ts';
import { hostnameLabel, type Market, marketOf } from '../../engine/nodes/launch/market.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { NodeTarget, PlannedNodes } from '../../engine/plan-document.ts';
import type { Assignment, NodesAssignment } from '../../members/assignment.ts';
import type { WantedLaunch } from '../../members/nodes/wanted-nodes.ts';

/**
 * What is to become of the nodes of a member; undefined while they are not observed: then nothing is begun or continued. In other modes
 * than execute nothing is wanted, so that taints of commands that were given up are removed.
 */
export function nodesAssignment(
  { clusterName, target }: PlannedNodes,
  { contents }: PlanResult,
  others: readonly Assignment[],
): NodesAssignment | undefined {
  const { world } = contents;
  const observation = world.observationOf(clusterName);
  if (observation?.nodes === undefined) return undefined;
  const { fleet } = world.input;
  const { market } = marketOf(world.members.get(clusterName)!.labels, fleet.priceLists, fleet.instanceCatalogs);
  const placed = others.flatMap((other) =>
    other.kind === 'placement' ? other.manifests.map(({ manifest }) => manifest) : [],
  );
  const pools = new Map(
    [...observation.objects, ...observation.extras, ...placed]
      .filter(({ kind, apiVersion }) => kind === 'NodePool' && apiVersion.startsWith('karpenter.sh/'))
      .map((pool) => [pool.metadata.name, pool]),
  );
  const launches = (target?.launches ?? []).flatMap((launch) => wantedLaunch(launch, { pools, market }) ?? []);
  return { kind: 'nodes', key: 'nodes', wanted: { nodes: target?.nodes ?? [], launches } };
}

function wantedLaunch(
  { name, pool: poolName, instanceType, zone, capacityType }: NodeTarget['launches'][number],
  { pools, market }: { readonly pools: ReadonlyMap<string, Manifest>; readonly market: Market },
): WantedLaunch | undefined {
  const manifest = pools.get(poolName);
  const type = market.types?.get(instanceType);
  if (manifest === undefined || type === undefined) return undefined;
  const pool = readPool(manifest, undefined);
  return {
    name,
    instanceType,
    zone,
    capacityType,
    labels: { ...labelsOfNew(fixedLabels(pool), type, { zone, capacityType }), [hostnameLabel]: name },
    annotations: pool.template.annotations,
    taints: listAt(manifest, 'spec', 'template', 'spec', 'taints').filter(
      isFields,
    ) as unknown as WantedLaunch['taints'],
    capacity: quantities(type.capacity),
    allocatable: quantities(type.allocatable),
  };
}

const quantities = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]));
