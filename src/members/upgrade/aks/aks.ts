import { textAt } from '../fields.ts';
import {
  notRequested,
  type OperationReport,
  RefusedUpgrade,
  type UpgradeOperation,
  type UpgradeProvider,
} from '../provider.ts';
import { changesCluster, clusterRequest, imageRequest, noteRequest, poolRequest } from './changes.ts';
import { hasFailed, isAt, isAtImage, nameOf, readAks, type SeenAks, type SeenPool } from './read.ts';
import type { ArmRequest, ResourceManager } from './resource-manager.ts';

/**
 * Upgrades an AKS cluster through Azure Resource Manager: `path` is its resource id. What was requested follows from the tag and the
 * versions of the cluster. URLs of long-running operations are remembered only for their error messages.
 */
export function aksProvider(arm: ResourceManager, path: string): UpgradeProvider<SeenAks> {
  let asked: { readonly operationId: string; readonly url: string } | undefined;

  async function request(wanted: ArmRequest, { operationId }: UpgradeOperation): Promise<true> {
    const { operation } = await arm.send(wanted);
    asked = operation === undefined ? undefined : { operationId, url: operation };
    return true;
  }

  async function newestImage({ name }: SeenPool): Promise<string | undefined> {
    const { body } = await arm.send({
      method: 'GET',
      path: `${path}/agentPools/${name}/upgradeProfiles/default`,
      tried: `read the newest node image of pool ${name} of the managed cluster ${nameOf(path)}`,
    });
    return textAt(body, 'properties', 'latestNodeImageVersion');
  }

  /** The image that a pool is to get; undefined = none. Azure can bring only its newest. */
  async function imageOf({ type }: UpgradeOperation, wanted: WantedPool, pool: SeenPool): Promise<string | undefined> {
    const isAsked = wanted.image !== undefined || (type === 'NodeImageOnly' && wanted.kubernetes === undefined);
    if (!isAsked || (wanted.image !== undefined && isAtImage(pool.image, wanted.image))) return undefined;
    const newest = await newestImage(pool);
    if (wanted.image !== undefined && wanted.image !== newest)
      throw new RefusedUpgrade(
        `pool ${pool.name}: Azure brings only its newest node image, ${newest ?? 'which it does not name'}, not ${wanted.image}: list it in the VersionCatalog or in customNodeImageVersions`,
      );
    return newest !== undefined && !isAtImage(pool.image, newest) ? newest : undefined;
  }

  /** The next pool that is behind, with its request; undefined while one is in progress, has failed, or none is behind. */
  async function nextPool(operation: UpgradeOperation, seen: SeenAks): Promise<ArmRequest | undefined> {
    for (const [wanted, pool] of wantedPools(operation, seen)) {
      if (wanted.kubernetes !== undefined) {
        if (!isAt(pool.wanted, wanted.kubernetes)) return poolRequest(path, pool, wanted.kubernetes);
        if (!isAt(pool.runs, wanted.kubernetes)) return undefined;
      }
      if ((await imageOf(operation, wanted, pool)) === undefined) continue;
      return hasFailed(pool) ? undefined : imageRequest(path, pool);
    }
    return undefined;
  }

  return {
    pace: { activeMs: 30_000, idleMs: 120_000 },
    observe: () => readAks(arm, path),
    preflight: async () => [],
    async start(operation, seen) {
      refuseUnknown(operation, seen);
      if (seen.running) return false;
      const { controlPlane } = operation;
      const isNoted = seen.lastOperation === operation.operationId;
      if (!isNoted) {
        await refuseImages(operation, seen);
        const first = changesCluster(seen, operation) ? clusterRequest : noteRequest;
        return request(first(path, seen, operation), operation);
      }
      if (controlPlane !== undefined && !isAt(seen.runs, controlPlane)) return false;
      const next = await nextPool(operation, seen);
      return next !== undefined && request(next, operation);
    },
    async poll(operation, seen) {
      if (seen.lastOperation !== operation.operationId) return notRequested;
      const url = asked?.operationId === operation.operationId ? asked.url : undefined;
      const answer = url === undefined ? undefined : await arm.read(url).catch(() => undefined);
      const message = answer?.status === 'Failed' || answer?.status === 'Canceled' ? answer.message : undefined;
      const behind = await firstBehind(operation, seen);
      return reportOf(seen, behind, message);
    },
  };

  /** Before anything changes: a pool that has failed before would count as a failure of this operation. */
  async function refuseImages(operation: UpgradeOperation, seen: SeenAks): Promise<void> {
    for (const [wanted, pool] of wantedPools(operation, seen)) {
      const image = await imageOf(operation, wanted, pool);
      if (image !== undefined && wanted.kubernetes === undefined && hasFailed(pool))
        throw new RefusedUpgrade(
          `pool ${pool.name} is ${pool.state}: repair it first, since its new failure could not be recognized`,
        );
    }
  }

  /** What an operation has not reached yet. */
  async function firstBehind(operation: UpgradeOperation, seen: SeenAks): Promise<Behind | undefined> {
    const { controlPlane } = operation;
    if (controlPlane !== undefined && !isAt(seen.runs, controlPlane)) return { name: 'control plane', ...seen };
    for (const [wanted, pool] of wantedPools(operation, seen)) {
      if (wanted.kubernetes !== undefined && !isAt(pool.runs, wanted.kubernetes)) return pool;
      if ((await imageOf(operation, wanted, pool)) !== undefined) return pool;
    }
    return undefined;
  }
}

type WantedPool = NonNullable<UpgradeOperation['pools']>[number];
type Behind = Pick<SeenPool, 'name' | 'state' | 'error'>;

/** Pools of an operation that are there. */
const wantedPools = ({ pools = [] }: UpgradeOperation, seen: SeenAks): readonly (readonly [WantedPool, SeenPool])[] =>
  pools.flatMap((wanted) => {
    const pool = seen.pools.find(({ name }) => name === wanted.name);
    return pool ? [[wanted, pool] as const] : [];
  });

function reportOf(seen: SeenAks, behind: Behind | undefined, failure: string | undefined): OperationReport {
  if (seen.running) return { phase: 'Running', message: seen.running.message };
  if (behind === undefined) return { phase: 'Succeeded', message: 'done' };
  const failed = [behind, { ...seen, name: 'cluster' }].find(hasFailed);
  if (failed || failure !== undefined)
    return {
      phase: 'Failed',
      message: `${failed?.name ?? behind.name}: ${failed?.state ?? 'Failed'}; ${failure ?? failed?.error ?? 'Azure gives no reason'}`,
    };
  return { phase: 'Running', message: `waits for ${behind.name}` };
}

function refuseUnknown(operation: UpgradeOperation, seen: SeenAks): void {
  const channel = textAt(seen.cluster, 'properties', 'autoUpgradeProfile', 'upgradeChannel') ?? 'none';
  if (operation.type === 'ControlPlaneOnly' && !['none', 'node-image'].includes(channel))
    throw new RefusedUpgrade(
      `the cluster follows the auto-upgrade channel ${channel}, with which Azure upgrades no control plane alone: set the channel to none`,
    );
}
