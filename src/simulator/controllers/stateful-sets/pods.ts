import { at, fieldsAt, listAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import { same } from '../../fields/compare.ts';
import type { OwnerReference, Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { makeObject } from '../make-object.ts';
import { revisionLabel } from '../owners/revisions.ts';

const claimKey = '/persistentvolumeclaims';

/** The two templates of a rollout, as ControllerRevisions; both are the same without a rollout. */
export interface Templates {
  readonly current: Stored;
  readonly update: Stored;
}

/** The name of the ControllerRevision that a pod was made from. */
export const revisionOf = (pod: Stored): string => pod.metadata.labels?.[revisionLabel] ?? '';

/** The number at the end of the name of a pod. */
export const ordinalOf = (pod: Stored): number => Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? -1);

/** The pod of an ordinal: its template with a hostname and its claims as volumes. */
export function podOf(set: Stored, ordinal: number, revision: string, template: Fields) {
  const name = `${set.metadata.name}-${ordinal}`;
  const claimed = templatesOf(set).map((claim) => ({
    name: textAt(claim, 'metadata', 'name'),
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const others = listAt(template, 'spec', 'volumes').filter(
    (volume) => !claimed.some((claim) => claim.name === textAt(volume, 'name')),
  );
  const volumes = [...claimed, ...others];
  return {
    name,
    template,
    labels: {
      'apps.kubernetes.io/pod-index': String(ordinal),
      [revisionLabel]: revision,
      'statefulset.kubernetes.io/pod-name': name,
    },
    spec: {
      hostname: name,
      ...(textAt(set, 'spec', 'serviceName') === '' ? {} : { subdomain: textAt(set, 'spec', 'serviceName') }),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

/** Creates the missing claims of an ordinal. */
export function claimsFor(cluster: Cluster, set: Stored, ordinal: number): void {
  for (const claim of templatesOf(set)) {
    const { status: _, ...body } = claim as Fields;
    makeObject(cluster, cluster.registry.stored(claimKey)!, {
      ...body,
      metadata: {
        ...fieldsAt(claim, 'metadata'),
        name: claimName(set, claim, ordinal),
        namespace: set.metadata.namespace,
        labels: { ...fieldsAt(claim, 'metadata', 'labels'), ...fieldsAt(set, 'spec', 'selector', 'matchLabels') },
      },
      status: { phase: 'Pending' },
    });
  }
}

/** The owner of a claim by the set's retention policy: none, the set, or a surplus pod. */
export function ownClaims(cluster: Cluster, set: Stored, pods: readonly Stored[]): void {
  const policy = fieldsAt(set, 'spec', 'persistentVolumeClaimRetentionPolicy');
  const start = numberAt(set, 'spec', 'ordinals', 'start');
  const end = start + numberAt(set, 'spec', 'replicas');
  for (const pod of pods) {
    const ordinal = ordinalOf(pod);
    const surplus = ordinal < start || ordinal >= end;
    const owner =
      policy['whenScaled'] === 'Delete' && surplus ? pod : policy['whenDeleted'] === 'Delete' ? set : undefined;
    for (const claim of templatesOf(set)) {
      const name = claimName(set, claim, ordinal);
      const live = cluster.store.get(claimKey, { name, namespace: set.metadata.namespace });
      if (live) own(cluster, live, owner);
    }
  }
}

function own(cluster: Cluster, claim: Stored, owner: Stored | undefined): void {
  const { ownerReferences: before = [], ...metadata } = claim.metadata;
  const others = before.filter(({ kind }) => kind !== 'StatefulSet' && kind !== 'Pod');
  const ownerReferences = owner ? [...others, plainReference(owner)] : others;
  if (same(before, ownerReferences)) return;
  cluster.store.put(claimKey, {
    ...claim,
    metadata: { ...metadata, ...(ownerReferences.length > 0 ? { ownerReferences } : {}) },
  });
}

const plainReference = ({ apiVersion, kind, metadata: { name, uid } }: Stored): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
});

const templatesOf = (set: Stored): readonly unknown[] => listAt(set, 'spec', 'volumeClaimTemplates');

const claimName = (set: Stored, claim: unknown, ordinal: number): string =>
  `${String(at(claim, 'metadata', 'name'))}-${set.metadata.name}-${ordinal}`;
