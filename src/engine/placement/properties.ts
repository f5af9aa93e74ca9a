import type { MemberCluster, MemberClusterStatus } from '../../api/member-cluster.ts';

/** Cluster properties by name, as written: `resources.kubernetes-fleet.io/available-cpu` → `1500m`. */
export type Properties = Readonly<Record<string, string>>;

/** The prefix of a kind of capacity and a resource: `available-cpu`. */
export const resourcePrefix = 'resources.kubernetes-fleet.io/';
const annotationPrefix = 'property.gitfleet.dev/';
const nodeCount = 'kubernetes-fleet.io/node-count';

/** Properties that KubeFleet's property providers report for every cluster (propertyprovider/commons.go, propertyprovider/azure). */
export const wellKnownProperties: readonly string[] = [
  nodeCount,
  'kubernetes.azure.com/per-cpu-core-cost',
  'kubernetes.azure.com/per-gb-memory-cost',
  ...['total', 'allocatable', 'available'].flatMap((kind) =>
    ['cpu', 'memory'].map((resource) => `${resourcePrefix}${kind}-${resource}`),
  ),
];

/** Properties that are not quantities: no cluster can match a policy that compares them. */
export const informationalProperties: readonly string[] = [
  'k8s.io/k8s-version',
  'k8s.io/cluster-entrypoint',
  'k8s.io/cluster-certificate-authority-data',
];

/** A kind of capacity and a resource: the end of a name under `resourcePrefix`. */
export const isResourceEnding = (text: string): boolean => /^(total|allocatable|available)-./.test(text);

/** The name in KubeFleet's code: an older product page writes `kubernetes.azure.com/node-count`. */
export const canonicalPropertyName = (name: string): string =>
  name === 'kubernetes.azure.com/node-count' ? nodeCount : name;

/**
 * The properties of one member that a policy can use, the later over the earlier: `status.properties`; `status.resourceUsage` under
 * `resources.kubernetes-fleet.io/{total|allocatable|available}-<resource>`, which KubeFleet never reads from the properties
 * (propertyprovider/commons.go); the MemberCluster's annotations `property.gitfleet.dev/<name>`. The name of an annotation cannot
 * have a second slash, so `available-cpu` and `node-count` there also set the well-known properties with that ending.
 */
export function memberProperties(member: MemberCluster, status: MemberClusterStatus): Properties {
  const properties: Record<string, string> = Object.create(null);
  const reported = status.properties ?? {};
  for (const name of Object.keys(reported)) {
    if (name.startsWith(resourcePrefix)) continue;
    const canonical = canonicalPropertyName(name);
    if (canonical === name || !Object.hasOwn(reported, canonical))
      properties[canonical] = String(reported[name]!.value);
  }
  const { capacity, allocatable, available } = status.resourceUsage ?? {};
  for (const [kind, list] of [
    ['total', capacity],
    ['allocatable', allocatable],
    ['available', available],
  ] as const) {
    for (const resource in list) properties[`${resourcePrefix}${kind}-${resource}`] = String(list[resource]);
  }
  for (const [key, value] of Object.entries(member.metadata.annotations ?? {})) {
    if (!key.startsWith(annotationPrefix)) continue;
    const name = canonicalPropertyName(key.slice(annotationPrefix.length));
    properties[name] = value;
    if (isResourceEnding(name)) properties[resourcePrefix + name] = value;
    if (name === 'node-count') properties[nodeCount] = value;
  }
  return properties;
}
