import { isFields } from '../../../engine/kernel/fields.ts';
import { fieldAt, listAt, textAt } from '../fields.ts';
import type { UpgradeOperation } from '../provider.ts';
import { isAt, nameOf, operationTag, type SeenAks, type SeenPool } from './read.ts';
import type { ArmRequest } from './resource-manager.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that only Azure writes (aks/stable/2025-08-01/managedClusters.json, readOnly). */
const ofResource = ['id', 'name', 'type', 'systemData', 'eTag'];
const ofCluster = [
  ...['provisioningState', 'powerState', 'maxAgentPools', 'currentKubernetesVersion', 'fqdn', 'privateFQDN'],
  ...['azurePortalFQDN', 'resourceUID', 'status'],
];
const ofPool = ['eTag', 'nodeImageVersion', 'provisioningState', 'currentOrchestratorVersion', 'status'];

const without = (fields: unknown, keys: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(isFields(fields) ? fields : {}).filter(([key]) => !keys.includes(key)));

const bare = (version: string): string => version.replace(/^v/i, '');

/** Writes the operation as a tag, before a change that has no place for it. */
export const noteRequest = (path: string, seen: SeenAks, { operationId }: UpgradeOperation): ArmRequest => ({
  method: 'PATCH',
  path,
  body: { tags: { ...without(fieldAt(seen.cluster, 'tags'), []), [operationTag]: operationId } },
  ifMatch: seen.eTag,
  tried: `tag the managed cluster ${nameOf(path)}`,
});

/** The version that the cluster is to have, or has. */
const clusterVersion = (seen: SeenAks, { controlPlane }: UpgradeOperation): string =>
  bare(controlPlane ?? seen.wanted ?? '');

/** All pools get the version of the cluster: Azure accepts their versions either unchanged or all equal to it. */
const takesPools = (seen: SeenAks, operation: UpgradeOperation): boolean =>
  seen.pools.every(({ name, wanted }) => {
    const to = operation.pools?.find((pool) => pool.name === name)?.kubernetes ?? wanted;
    return bare(to ?? '') === clusterVersion(seen, operation);
  });

/** Whether an operation begins with a request for the whole cluster. It also repeats what failed in an earlier attempt. */
export const changesCluster = (seen: SeenAks, operation: UpgradeOperation): boolean =>
  (operation.controlPlane !== undefined && !isAt(seen.runs, operation.controlPlane)) ||
  (operation.pools?.some(({ kubernetes }) => kubernetes !== undefined) === true && takesPools(seen, operation));

/** The whole cluster with the version of its control plane, and of its pools when all get it. The tag is part of the same request. */
export function clusterRequest(path: string, seen: SeenAks, operation: UpgradeOperation): ArmRequest {
  const version = clusterVersion(seen, operation);
  const isAll = takesPools(seen, operation);
  const properties = fieldAt(seen.cluster, 'properties');
  return {
    method: 'PUT',
    path,
    body: {
      ...without(seen.cluster, ofResource),
      tags: { ...without(fieldAt(seen.cluster, 'tags'), []), [operationTag]: operation.operationId },
      properties: {
        ...without(properties, ofCluster),
        kubernetesVersion: version,
        agentPoolProfiles: listAt(properties, 'agentPoolProfiles').map((pool) => ({
          ...without(pool, ofPool),
          ...(isAll && !isAt(textAt(pool, 'orchestratorVersion'), version) && { orchestratorVersion: version }),
        })),
      },
    },
    ifMatch: seen.eTag,
    tried: `upgrade the managed cluster ${nameOf(path)}`,
  };
}

/** A pool on its own: its properties are the entry of the cluster without its name. */
export const poolRequest = (path: string, { name, object }: SeenPool, version: string): ArmRequest => ({
  method: 'PUT',
  path: `${path}/agentPools/${name}`,
  body: { properties: { ...without(object, [...ofPool, 'name']), orchestratorVersion: bare(version) } },
  ifMatch: textAt(object, 'eTag'),
  tried: `upgrade pool ${name} of the managed cluster ${nameOf(path)}`,
});

export const imageRequest = (path: string, { name }: SeenPool): ArmRequest => ({
  method: 'POST',
  path: `${path}/agentPools/${name}/upgradeNodeImageVersion`,
  tried: `upgrade the node image of pool ${name} of the managed cluster ${nameOf(path)}`,
});
