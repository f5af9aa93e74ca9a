import type { MemberCluster, MemberClusterStatus } from '../../api/member-cluster.ts';

/** Cluster properties by name, as written: `resources.kubernetes-fleet.io/available-cpu` → `1500m`. */
export type Properties = Readonly<Record<string, string>>;

const resourcePrefix = 'resources.kubernetes-fleet.io/';
const annotationPrefix = 'property.gitfleet.dev/';
const nodeCount = 'kubernetes-fleet.io/node-count';

/** The name KubeFleet's code knows: an older product page writes `kubernetes.azure.com/node-count`. */
export const canonicalPropertyName = (name: string): string =>
  name === 'kubernetes.azure.com/node-count' ? nodeCount : name;

/**
 * What a policy can ask about one member: `status.properties`, `status.resourceUsage` under the names
 * `resources.kubernetes-fleet.io/{total|allocatable|available}-<resource>`, which KubeFleet never looks up among the
 * properties (propertyprovider/commons.go), and on top of both the MemberCluster's annotations `property.gitfleet.dev/<name>`. An annotation cannot hold a second slash,
 * so `available-cpu` and `node-count` there also stand for the well-known properties that end so.
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
    if (/^(total|allocatable|available)-./.test(name)) properties[resourcePrefix + name] = value;
    if (name === 'node-count') properties[nodeCount] = value;
  }
  return properties;
}
