import type { Manifest } from '../../api/meta.ts';
import type { OverrideRule, OverrideSnapshot } from '../../api/override.ts';
import { memoize } from '../kernel/memoize.ts';
import { type Labels, matchesSelector } from '../kernel/selector.ts';
import { memberNameLabel } from '../placement/members.ts';
import { groupVersionOf } from '../selection/group-version.ts';
import { snapshotId } from './snapshot-id.ts';
import type { OverrideHistory } from './snapshots.ts';

/** A member cluster as overrides see it. */
export interface OverrideCluster {
  readonly name: string;
  readonly labels?: Labels | undefined;
}

/** The history by id, and its latest snapshots by what they select; indexed once per history. */
export interface OverrideLookup {
  readonly byId: ReadonlyMap<string, OverrideSnapshot>;
  /** Latest snapshots by selector key. */
  readonly latest: ReadonlyMap<string, readonly OverrideSnapshot[]>;
}

/** The index of a history, memoized: every cluster of every placement needs it. */
export const lookupOf = memoize((history: OverrideHistory): OverrideLookup => {
  const byId = new Map<string, OverrideSnapshot>();
  const latest = new Map<string, OverrideSnapshot[]>();
  for (const snapshot of [...history.values()].flat()) {
    byId.set(snapshotId(snapshot), snapshot);
    if (!snapshot.latest) continue;
    for (const key of selectorKeys(snapshot)) latest.set(key, [...(latest.get(key) ?? []), snapshot]);
  }
  return { byId, latest };
});

/** The keys that a snapshot's selectors name; {@link objectKeys} gives those of an object. */
export function selectorKeys(snapshot: Pick<OverrideSnapshot, 'overrideSpec' | 'metadata'>): string[] {
  const spec = snapshot.overrideSpec;
  return 'clusterResourceSelectors' in spec
    ? spec.clusterResourceSelectors.map((by) => clusterKey(by.group, by.version, by.kind, by.name))
    : spec.resourceSelectors.map((by) =>
        namespacedKey(by.group, by.version, by.kind, snapshot.metadata.namespace ?? '', by.name),
      );
}

/**
 * The keys by which cluster overrides and namespaced ones select an object. A cluster override selects a cluster-scoped object
 * directly, and a namespaced one only by its Namespace (KubeFleet overrider.go).
 */
export function objectKeys(manifest: Manifest): { readonly cluster: string; readonly namespaced: string | undefined } {
  const { group, version } = groupVersionOf(manifest.apiVersion);
  const { name, namespace } = manifest.metadata;
  if (!namespace) return { cluster: clusterKey(group, version, manifest.kind, name), namespaced: undefined };
  return {
    cluster: clusterKey('', 'v1', 'Namespace', namespace),
    namespaced: namespacedKey(group, version, manifest.kind, namespace, name),
  };
}

const clusterKey = (group: string, version: string, kind: string, name: string): string =>
  `${group}/${version} ${kind} ${name}`;
const namespacedKey = (group: string, version: string, kind: string, namespace: string, name: string): string =>
  `${group}/${version} ${kind} ${namespace}/${name}`;

/**
 * Whether a rule is for this cluster: no selector = none, no terms = all, terms ORed. A term without a label selector
 * matches nothing, as Kubernetes reads an absent selector.
 */
export function ruleMatches(rule: OverrideRule, labels: Labels): boolean {
  const terms = rule.clusterSelector?.clusterSelectorTerms;
  if (!terms) return false;
  return terms.length === 0 || terms.some((term) => term.labelSelector && matchesSelector(term.labelSelector, labels));
}

/** A member's labels, with the label that KubeFleet always sets to the member's name. */
export const labelsOf = ({ name, labels }: OverrideCluster): Labels =>
  labels?.[memberNameLabel] === name ? labels : { ...labels, [memberNameLabel]: name };
