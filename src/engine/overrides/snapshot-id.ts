import type { OverrideSnapshot } from '../../api/override.ts';

/**
 * The override snapshots of a binding, or of a cluster of an update run: KubeFleet's two lists, cluster ones sorted by name,
 * namespaced ones by namespace, then name.
 */
export interface OverrideLists {
  readonly clusterResourceOverrideSnapshots: readonly string[];
  readonly resourceOverrideSnapshots: readonly { readonly name: string; readonly namespace: string }[];
}

/** The lists in documents, where an empty one is omitted: in a Binding or a ClusterUpdatingStatus. */
export type RecordedLists = {
  readonly [List in keyof OverrideLists]?: OverrideLists[List] | undefined;
};

/** The id of a snapshot of either kind: `name-index`, `namespace/name-index`. */
export const snapshotId = ({ metadata: { name, namespace } }: OverrideSnapshot): string =>
  namespace ? `${namespace}/${name}` : name;

/** Ids of the snapshots in the lists, in the order of application: cluster ones first, so that namespaced ones win. */
export const idsOf = (lists: RecordedLists): string[] => [
  ...(lists.clusterResourceOverrideSnapshots ?? []),
  ...(lists.resourceOverrideSnapshots ?? []).map(({ namespace, name }) => `${namespace}/${name}`),
];

/** The id of a snapshot without its index, which identifies its override. */
export const withoutIndex = (id: string): string => id.slice(0, id.lastIndexOf('-'));

/** The lists with the previous snapshot of an override instead of that one, or without the override behind its first one. */
export function withEarlier(lists: RecordedLists, id: string): RecordedLists {
  const index = Number(id.slice(id.lastIndexOf('-') + 1));
  const earlier = (name: string): string[] => (index > 0 ? [`${withoutIndex(name)}-${index - 1}`] : []);
  return {
    clusterResourceOverrideSnapshots: lists.clusterResourceOverrideSnapshots?.flatMap((name) =>
      name === id ? earlier(name) : [name],
    ),
    resourceOverrideSnapshots: lists.resourceOverrideSnapshots?.flatMap(({ namespace, name }) =>
      `${namespace}/${name}` === id ? earlier(name).map((own) => ({ namespace, name: own })) : [{ namespace, name }],
    ),
  };
}

/** The override of a snapshot, by the snapshot's id. */
export function overrideOf(id: string): { readonly kind: string; readonly name: string; readonly namespace?: string } {
  const [first, name] = withoutIndex(id).split('/') as [string, string?];
  return name === undefined
    ? { kind: 'ClusterResourceOverride', name: first }
    : { kind: 'ResourceOverride', namespace: first, name };
}
