import type { Replacement } from '../../../api/nodes/node-plan.ts';
import type { Pool } from '../../node-pools/pool.ts';
import type { LandingNode } from '../cluster/cluster-nodes.ts';
import { fixedLabels, labelsOfNew } from '../launch/launchables.ts';
import type { Market } from '../launch/market.ts';

/** A replacement that is not there yet, as it will be; undefined where its pool is not known, or the catalog lacks its type. */
export function arrivingNode(
  { name, instanceType, zone, capacityType, pool: poolName, labels }: Replacement,
  pools: ReadonlyMap<string, Pool>,
  { types }: Market,
): LandingNode | undefined {
  const [pool, type] = [pools.get(poolName), types?.get(instanceType)];
  if (pool === undefined || type === undefined) return undefined;
  return {
    name,
    manifest: { apiVersion: 'v1', kind: 'Node', metadata: { name } },
    labels: { ...labels, ...labelsOfNew(fixedLabels(pool), type, { zone, capacityType }) },
    taints: pool.template.taints,
    allocatable: type.allocatable,
    claim: undefined,
    pool,
    isInitialized: true,
    isReady: true,
    isDeleting: false,
    isMarked: false,
    pods: [],
  };
}
