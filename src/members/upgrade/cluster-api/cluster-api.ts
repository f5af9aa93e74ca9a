import { parseVersion } from '../../../api/kubernetes-version.ts';
import type { Manifest } from '../../../api/meta.ts';
import type { UpgradeFinding } from '../../../api/observation.ts';
import { shortList } from '../../../engine/kernel/short-list.ts';
import { ApiError } from '../../api-server/api-error.ts';
import type { MemberClient } from '../../api-server/client.ts';
import { conditionIs, conditionOf, fieldAt, textAt } from '../fields.ts';
import {
  notRequested,
  type OperationReport,
  RefusedUpgrade,
  type UpgradeOperation,
  type UpgradeProvider,
} from '../provider.ts';
import { type ClusterRef, isAt, isRolledOut, isSettled, readCluster, type SeenClusterApi, templateOf } from './read.ts';
import { changePart, noteOperation } from './standalone.ts';
import { changeTopology, isWholeTopology } from './topology.ts';

/**
 * Upgrades a Cluster of Cluster API (v1beta2) through its management cluster: one with a managed topology by its version, another
 * part by part, control plane first.
 */
export function clusterApiProvider(client: MemberClient, ref: ClusterRef): UpgradeProvider<SeenClusterApi> {
  return {
    pace: { activeMs: 10_000, idleMs: 60_000 },
    observe: () => readCluster(client, ref),
    preflight: async (seen) => findingsOf(seen),
    async start(operation, seen) {
      refuseUnknown(operation, seen);
      if (seen.hasTopology) return changeTopology(client, { operation, seen });
      if (seen.lastOperation !== operation.operationId) {
        await refuseMissingTemplates(client, { operation, seen });
        await noteOperation(client, { operation, seen });
        return true;
      }
      return advance(client, { operation, seen });
    },
    poll: async (operation, seen) => reportOf(operation, seen),
  };
}

/** The next change of a Cluster without a topology. Workers come after the control plane, one pool at a time. */
async function advance(
  client: MemberClient,
  { operation, seen }: { readonly operation: UpgradeOperation; readonly seen: SeenClusterApi },
): Promise<boolean> {
  const { controlPlane } = seen;
  if (operation.controlPlane !== undefined && controlPlane) {
    if (!isAt(controlPlane.wanted, operation.controlPlane)) {
      await changePart(client, controlPlane, { kubernetes: operation.controlPlane });
      return true;
    }
    if (!isSettled(controlPlane)) return false;
  }
  for (const { name, kubernetes, image } of operation.pools ?? []) {
    const part = seen.pools.find(({ pool }) => pool === name);
    if (!part) continue;
    const isChanged =
      (kubernetes === undefined || isAt(part.wanted, kubernetes)) &&
      (image === undefined || templateOf(part.object) === image);
    if (!isChanged) {
      await changePart(client, part, { kubernetes, image });
      return true;
    }
    if (!isSettled(part)) return false;
  }
  return false;
}

/** Settings that Cluster API has no place for. */
function refuseUnknown(
  { type, controlPlane, pools = [] }: UpgradeOperation,
  { hasTopology, ...seen }: SeenClusterApi,
): void {
  for (const version of [controlPlane, ...pools.map(({ kubernetes }) => kubernetes)])
    if (version !== undefined && parseVersion(version)?.patch === undefined)
      throw new RefusedUpgrade(
        `Cluster API needs a whole version, not ${version}: name the patch in the run, or list patches in a VersionCatalog`,
      );
  const withImage = pools.find(({ image }) => image !== undefined);
  if (hasTopology && withImage)
    throw new RefusedUpgrade(
      `pool ${withImage.name}: node images of a Cluster with a topology belong to its ClusterClass, so ${withImage.image} cannot be set: change the class or its variables, and leave images out of the run`,
    );
  const withoutImage = pools.find(({ kubernetes, image }) => kubernetes === undefined && image === undefined);
  if (type === 'NodeImageOnly' && withoutImage)
    throw new RefusedUpgrade(
      `pool ${withoutImage.name}: Cluster API knows no newest node image: name the machine template in nodeImageSelection (Custom) or in a VersionCatalog`,
    );
  if (controlPlane !== undefined && seen.controlPlane === undefined)
    throw new RefusedUpgrade(
      `Cluster ${seen.cluster.metadata.name} has no controlPlaneRef, so its control plane cannot be upgraded`,
    );
}

/** A pool that names a template that is not there would never get a machine. */
async function refuseMissingTemplates(
  client: MemberClient,
  { operation, seen }: { readonly operation: UpgradeOperation; readonly seen: SeenClusterApi },
): Promise<void> {
  for (const { name, image } of operation.pools ?? []) {
    const part = seen.pools.find(({ pool }) => pool === name);
    if (image === undefined || part === undefined) continue;
    const ref = fieldAt(part.object, 'spec', 'template', 'spec', 'infrastructureRef');
    const [group, kind] = [textAt(ref, 'apiGroup'), textAt(ref, 'kind')];
    const namespace = textAt(part.object, 'metadata', 'namespace');
    const found = await client.json({ method: 'GET', path: `/apis/${group}`, tried: `discover ${group}` });
    const version = textAt(found, 'preferredVersion', 'version') ?? 'v1beta2';
    const path = `/apis/${group}/${version}/namespaces/${namespace}/${kind?.toLowerCase()}s/${image}`;
    try {
      await client.object({ method: 'GET', path, tried: `read ${kind} ${image}` });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      throw new RefusedUpgrade(
        `pool ${name}: there is no ${kind} ${namespace}/${image}: create the machine template first`,
      );
    }
  }
}

function reportOf(operation: UpgradeOperation, seen: SeenClusterApi): OperationReport {
  if (seen.lastOperation !== operation.operationId) return notRequested;
  const pools = (operation.pools ?? []).flatMap(({ name }) => seen.pools.find(({ pool }) => pool === name) ?? []);
  const failed = pools.find(({ object }) => textAt(object, 'status', 'phase') === 'Failed');
  if (failed) return { phase: 'Failed', message: `MachineDeployment ${failed.object.metadata.name} is Failed` };
  const trouble = pausedText(seen) ?? troubleOf(seen);
  if (isReached(operation, seen)) return { phase: 'Succeeded', message: 'done' };
  return {
    phase: 'Running',
    message: [seen.running?.message ?? 'waits for Cluster API', trouble].filter(Boolean).join('; '),
  };
}

function isReached(operation: UpgradeOperation, seen: SeenClusterApi): boolean {
  const { controlPlane, pools, hasTopology } = seen;
  if (hasTopology && !isWholeTopology(seen)) return false;
  if (
    operation.controlPlane !== undefined &&
    !(isAt(controlPlane?.runs, operation.controlPlane) && controlPlane && isSettled(controlPlane))
  )
    return false;
  return (operation.pools ?? []).every(({ name, kubernetes, image }) => {
    const part = pools.find(({ pool }) => pool === name);
    if (part === undefined) return true;
    const isImage = image === undefined || templateOf(part.object) === image;
    return isRolledOut(part.object) && isImage && (kubernetes === undefined || isAt(part.runs, kubernetes));
  });
}

/** What Cluster API itself complains about. It may pass, so it fails an upgrade only by its deadline. */
function troubleOf({ cluster }: SeenClusterApi): string | undefined {
  const reconciled = conditionOf(cluster, 'TopologyReconciled');
  return textAt(reconciled, 'reason') === 'ReconcileFailed' ? textAt(reconciled, 'message') : undefined;
}

const isPaused = (object: Manifest): boolean =>
  fieldAt(object, 'spec', 'paused') === true ||
  fieldAt(object, 'metadata', 'annotations', 'cluster.x-k8s.io/paused') !== undefined;

/** What controllers leave alone, as a clause; undefined = nothing. */
function pausedText({ cluster, controlPlane, pools }: SeenClusterApi): string | undefined {
  const paused = [
    ...(isPaused(cluster) ? [`Cluster ${cluster.metadata.name}`] : []),
    ...(controlPlane && isPaused(controlPlane.object) ? [`control plane ${controlPlane.object.metadata.name}`] : []),
    ...pools.filter(({ object }) => isPaused(object)).map(({ pool }) => `pool ${pool}`),
  ];
  return paused.length === 0 ? undefined : `${shortList(paused)} ${paused.length === 1 ? 'is' : 'are'} paused`;
}

function findingsOf(seen: SeenClusterApi): UpgradeFinding[] {
  const { controlPlane, pools } = seen;
  const paused = pausedText(seen);
  const onDelete = pools
    .filter(({ object }) => textAt(object, 'spec', 'rollout', 'strategy', 'type') === 'OnDelete')
    .map(({ pool }) => pool);
  const unhealthy = ['EtcdClusterHealthy', 'ControlPlaneComponentsHealthy'].filter(
    (type) => controlPlane && conditionIs(controlPlane.object, type, 'False'),
  );
  return [
    ...(paused === undefined ? [] : [{ reason: 'Paused', severity: 'Blocking' as const, message: paused }]),
    ...(onDelete.length === 0
      ? []
      : [
          {
            reason: 'OnDelete',
            severity: 'Warning' as const,
            message: `machines of ${shortList(onDelete.map((pool) => `pool ${pool}`))} are replaced only once someone deletes them`,
          },
        ]),
    ...unhealthy.map((type) => ({
      reason: 'ControlPlaneUnhealthy',
      severity: 'Blocking' as const,
      message: `${type} of the control plane is False: ${textAt(conditionOf(controlPlane!.object, type), 'message') ?? 'no message'}`,
    })),
  ];
}
