import type { ClusterName, Manifest } from '../../api/meta.ts';
import { targetContent } from '../../engine/delivery/target-content.ts';
import { isNodePool, readPool } from '../../engine/node-pools/pool.ts';
import { acceptedPools, byPoolName } from '../../engine/node-pools/refused-changes.ts';
import { type Market, marketsOf } from '../../engine/nodes/launch/market.ts';
import { replacementNode } from '../../engine/nodes/launch/replacement-node.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { NodesTarget } from '../../engine/plan-document.ts';
import { placementTargets } from '../../engine/target-kinds.ts';
import type { NodesAssignment } from '../../members/assignment.ts';
import type { WantedLaunch } from '../../members/nodes/wanted-nodes.ts';

type Launches = NodesTarget['nodes']['launches'];

/**
 * What is to become of the nodes of a member; undefined while they are not observed: then nothing is begun or continued. In other modes
 * than execute nothing is wanted, so that taints of commands that were given up are removed.
 */
export function nodesAssignment(
  { clusterName, nodes: { nodes, launches } }: NodesTarget,
  result: PlanResult,
): NodesAssignment | undefined {
  const { world } = result.contents;
  if (world.observationOf(clusterName)?.nodes === undefined) return undefined;
  const wanted = launches.length === 0 ? [] : wantedLaunches(launches, clusterName, result);
  return { kind: 'nodes', key: 'nodes', wanted: { nodes, launches: wanted } };
}

function wantedLaunches(launches: Launches, cluster: ClusterName, { contents, plan }: PlanResult): WantedLaunch[] {
  const { observationOf, members, input } = contents.world;
  const { objects = [], extras = [] } = observationOf(cluster) ?? {};
  const placed = placementTargets(plan.targets)
    .filter(({ clusterName }) => clusterName === cluster)
    .flatMap((target) => targetContent(contents, target)?.manifests ?? []);
  const live = byPoolName([...objects, ...extras]);
  const own = placed.map(({ manifest }) => manifest).filter(isNodePool);
  const pools = new Map([...live, ...acceptedPools(own, live)]);
  const { market } = marketsOf(input.fleet)(members.get(cluster)!.labels);
  return launches.flatMap((launch) => wantedLaunch(launch, { pools, market }) ?? []);
}

function wantedLaunch(
  launch: Launches[number],
  { pools, market }: { readonly pools: ReadonlyMap<string, Manifest>; readonly market: Market },
): WantedLaunch | undefined {
  const { name, instanceType, zone, capacityType, options } = launch;
  const manifest = pools.get(launch.pool);
  const pool = manifest && readPool(manifest, undefined);
  const node = pool && replacementNode(launch, pool, market);
  if (node === undefined) return undefined;
  return {
    name,
    instanceType,
    zone,
    capacityType,
    ...node,
    taints: node.taints as unknown as WantedLaunch['taints'],
    alternatives: options.flatMap((option) => {
      const other =
        option === instanceType ? undefined : replacementNode({ ...launch, instanceType: option }, pool!, market);
      return other ? [{ instanceType: option, labels: other.labels }] : [];
    }),
  };
}
