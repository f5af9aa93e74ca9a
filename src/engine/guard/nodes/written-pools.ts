import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import type { OverrideSnapshot } from '../../../api/override.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { applyPatch } from '../../kernel/json-patch.ts';
import { matchesSelector } from '../../kernel/selector.ts';
import { placementTargets } from '../../target-kinds.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { labelsOfMember } from '../evidence/members.ts';
import { overrideReader } from '../evidence/override-snapshots.ts';
import { bindingReader, snapshotReader } from '../evidence/planned-record.ts';

/** NodePools that clusters have or get: by what files, snapshots, overrides and observations write, without the planner's rendering. */
export interface WrittenPools {
  /** By the snapshots of the plan's targets and the overrides of its bindings. */
  readonly delivered: ReadonlyMap<ClusterName, readonly Manifest[]>;
  /** Those whose overrides fail: they go nowhere, and are there as they would be written. */
  readonly failing: ReadonlyMap<ClusterName, readonly Manifest[]>;
  /** Of invalid files. The guard does not judge where these would go: on a cluster without such a pool they allow nothing more. */
  readonly invalid: readonly Manifest[];
}

export const isNodePool = ({ kind, apiVersion }: Pick<Manifest, 'kind' | 'apiVersion'>): boolean =>
  kind === 'NodePool' && apiVersion.startsWith('karpenter.sh/');

export function writtenPools(evidence: Evidence): WrittenPools {
  const [contentOf, bindingOf, snapshotOf] = [
    snapshotReader(evidence),
    bindingReader(evidence.plan),
    overrideReader(evidence),
  ];
  const poolsOn = (key: PlacementKey, cluster: ClusterName, index: number | undefined): readonly Manifest[] => {
    const binding = bindingOf(key, cluster);
    const overrides = (binding?.clusterResourceOverrideSnapshots ?? []).flatMap(
      (id) => snapshotOf('ClusterResourceOverrideSnapshot', id) ?? [],
    );
    const labels = labelsOn(cluster, binding, evidence);
    const written = (manifest: Manifest): readonly Manifest[] => overridden(manifest, overrides, { cluster, labels });
    const all = contentOf(key, index).flatMap(written);
    return all.flatMap((manifest) => [manifest, ...enveloped(manifest).flatMap(written)]).filter(isNodePool);
  };
  const [delivered, failing] = [
    new Map<ClusterName, readonly Manifest[]>(),
    new Map<ClusterName, readonly Manifest[]>(),
  ];
  const add = (to: typeof delivered, cluster: ClusterName, pools: readonly Manifest[]) =>
    to.set(cluster, [...(to.get(cluster) ?? []), ...pools]);
  for (const target of placementTargets(evidence.plan.targets)) {
    const { clusterName: cluster, placement, resourceSnapshotIndex, digest, remove, objects } = target;
    if (remove || digest === undefined || !objects.some(isNodePool)) continue;
    add(delivered, cluster, poolsOn(placementKey(placement), cluster, resourceSnapshotIndex));
  }
  for (const placement of evidence.plan.placements)
    for (const { clusterName: cluster, resourceSnapshotIndex, conditions } of placement.bindings)
      if (conditions.some(({ type, status }) => type === 'Overridden' && status === 'False'))
        add(failing, cluster, poolsOn(placementKey(placement), cluster, resourceSnapshotIndex));
  return { delivered, failing, invalid: evidence.input.fleet.invalidPools };
}

/** A binding keeps the labels of its last rollout while other labels of its cluster wait for theirs. */
const labelsOn = (cluster: ClusterName, binding: Binding | undefined, evidence: Evidence) =>
  binding?.clusterLabels ?? labelsOfMember(cluster, evidence);

/** What an envelope holds: entries of other ConfigMaps are texts. */
const enveloped = ({ kind, data }: Manifest): readonly Manifest[] =>
  kind === 'ClusterResourceEnvelope' || kind === 'ConfigMap'
    ? Object.values((data ?? {}) as Record<string, Manifest>).filter((entry) => typeof entry?.metadata === 'object')
    : [];

interface Place {
  readonly cluster: ClusterName;
  readonly labels: Readonly<Record<string, string>>;
}

/** A cluster-scoped object with the rules for a cluster in order; none where one deletes it or fails. */
function overridden(manifest: Manifest, overrides: readonly OverrideSnapshot[], place: Place): readonly Manifest[] {
  let value: unknown = manifest;
  for (const { overrideSpec } of overrides) {
    if (!selects(overrideSpec, manifest)) continue;
    for (const { clusterSelector, overrideType, jsonPatchOverrides = [] } of overrideSpec.policy.overrideRules) {
      const terms = clusterSelector?.clusterSelectorTerms;
      const isFor = ({ labelSelector }: NonNullable<typeof terms>[number]) =>
        labelSelector !== undefined && matchesSelector(labelSelector, place.labels);
      if (terms === undefined || (terms.length > 0 && !terms.some(isFor))) continue;
      if (overrideType === 'Delete') return [];
      const patched = applyPatch(
        value,
        jsonPatchOverrides.map((patch) => ({ ...patch, value: filled(patch.value, place) })),
      );
      if (!patched.ok) return [];
      value = patched.value;
    }
  }
  return [value as Manifest];
}

const selects = (spec: OverrideSnapshot['overrideSpec'], { apiVersion, kind, metadata }: Manifest): boolean =>
  'clusterResourceSelectors' in spec &&
  metadata.namespace === undefined &&
  spec.clusterResourceSelectors.some(
    (by) =>
      [by.group, by.version].filter((part) => part !== '').join('/') === apiVersion &&
      by.kind === kind &&
      by.name === metadata.name,
  );

/** A value with the variables of KubeFleet's overrides. */
function filled(value: unknown, { cluster, labels }: Place): unknown {
  const text = JSON.stringify(value ?? null);
  if (!text.includes('${MEMBER-CLUSTER-')) return value;
  const named = text
    .replaceAll('${MEMBER-CLUSTER-NAME}', () => cluster)
    .replace(/\$\{MEMBER-CLUSTER-LABEL-KEY-([^}]*)\}/g, (variable, key: string) => labels[key] ?? variable);
  try {
    return JSON.parse(named);
  } catch {
    return value;
  }
}
