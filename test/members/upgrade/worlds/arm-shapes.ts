/**
 * What Azure publishes of the calls that gitfleet makes, cut from Azure/azure-rest-api-specs,
 * specification/containerservice/resource-manager/Microsoft.ContainerService/aks/stable/2025-08-01/managedClusters.json: paths, headers,
 * bodies, and of definitions the names of their properties.
 */
export const apiVersion = '2025-08-01';

const cluster =
  '/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Microsoft.ContainerService/managedClusters/{resourceName}';

export interface ArmOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** The header If-Match is a parameter. */
  readonly ifMatch: boolean;
  /** Definition of the body; undefined = it has none. */
  readonly body: 'ManagedCluster' | 'AgentPool' | 'TagsObject' | undefined;
}

export const operations: readonly ArmOperation[] = [
  { operationId: 'ManagedClusters_Get', method: 'GET', path: cluster, ifMatch: false, body: undefined },
  {
    operationId: 'ManagedClusters_CreateOrUpdate',
    method: 'PUT',
    path: cluster,
    ifMatch: true,
    body: 'ManagedCluster',
  },
  { operationId: 'ManagedClusters_UpdateTags', method: 'PATCH', path: cluster, ifMatch: true, body: 'TagsObject' },
  {
    operationId: 'AgentPools_CreateOrUpdate',
    method: 'PUT',
    path: `${cluster}/agentPools/{agentPoolName}`,
    ifMatch: true,
    body: 'AgentPool',
  },
  {
    operationId: 'AgentPools_GetUpgradeProfile',
    method: 'GET',
    path: `${cluster}/agentPools/{agentPoolName}/upgradeProfiles/default`,
    ifMatch: false,
    body: undefined,
  },
  {
    operationId: 'AgentPools_UpgradeNodeImageVersion',
    method: 'POST',
    path: `${cluster}/agentPools/{agentPoolName}/upgradeNodeImageVersion`,
    ifMatch: false,
    body: undefined,
  },
];

/** Properties that a request may have, and those that only Azure writes. */
export const definitions = {
  ManagedCluster: {
    writable: ['tags', 'location', 'sku', 'extendedLocation', 'identity', 'properties', 'kind'],
    readOnly: ['id', 'name', 'type', 'systemData', 'eTag'],
  },
  ManagedClusterProperties: {
    writable: [
      ...['kubernetesVersion', 'dnsPrefix', 'fqdnSubdomain', 'agentPoolProfiles', 'linuxProfile', 'windowsProfile'],
      ...['servicePrincipalProfile', 'addonProfiles', 'podIdentityProfile', 'oidcIssuerProfile', 'nodeResourceGroup'],
      ...['nodeResourceGroupProfile', 'enableRBAC', 'supportPlan', 'networkProfile', 'aadProfile'],
      ...['autoUpgradeProfile', 'upgradeSettings', 'autoScalerProfile', 'apiServerAccessProfile'],
    ],
    readOnly: [
      ...['provisioningState', 'powerState', 'maxAgentPools', 'currentKubernetesVersion', 'fqdn', 'privateFQDN'],
      ...['azurePortalFQDN', 'resourceUID', 'status'],
    ],
  },
  ManagedClusterAgentPoolProfile: {
    writable: [
      ...[
        'name',
        'count',
        'vmSize',
        'osDiskSizeGB',
        'osDiskType',
        'maxPods',
        'osType',
        'osSKU',
        'maxCount',
        'minCount',
      ],
      ...['enableAutoScaling', 'scaleDownMode', 'type', 'mode', 'orchestratorVersion', 'upgradeSettings', 'powerState'],
      ...[
        'availabilityZones',
        'enableNodePublicIP',
        'tags',
        'nodeLabels',
        'nodeTaints',
        'vnetSubnetID',
        'creationData',
      ],
    ],
    readOnly: ['eTag', 'currentOrchestratorVersion', 'nodeImageVersion', 'provisioningState', 'status'],
  },
  AgentPool: { writable: ['properties'], readOnly: ['id', 'name', 'type'] },
  TagsObject: { writable: ['tags'], readOnly: [] },
} as const;

export type DefinitionName = keyof typeof definitions;

/** Azure's rule for names of tags (Azure Resource Manager, tag limitations), and their longest name and value. */
export const tagName = /^[^<>%&\\?/]{1,512}$/;
export const longestTagValue = 256;
