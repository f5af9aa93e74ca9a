import { at, fieldsAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import { same } from '../../fields/compare.ts';
import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { replace } from '../../storage/write.ts';
import { recordEvent } from '../events.ts';
import { makeObject } from '../make-object.ts';
import type { Dependents } from '../owners/dependents.ts';
import { referenceTo } from '../owners/owner-reference.ts';
import { templateHash } from '../owners/template-hash.ts';
import { copiedAnnotations, revisionOf, sizeAnnotations, withHistory } from './annotations.ts';
import { type Limits, limitsOf, newSize, type Part } from './rolling-update.ts';

export const setKey = 'apps/replicasets';

/** The ReplicaSets of a Deployment. */
export interface Sets {
  /** Of the present template. */
  readonly latest: Stored | undefined;
  /** Oldest first. */
  readonly old: readonly Stored[];
  readonly all: readonly Stored[];
}

export function setsOf(dependents: Dependents, deployment: Stored): Sets {
  const all = dependents.controlled(deployment, setKey);
  const wanted = withoutHash(fieldsAt(deployment, 'spec', 'template'));
  const latest = all.find((set) => same(withoutHash(fieldsAt(set, 'spec', 'template')), wanted));
  return { latest, old: all.filter((set) => set !== latest), all };
}

function withoutHash(template: Fields): Fields {
  const { 'pod-template-hash': _, ...labels } = fieldsAt(template, 'metadata', 'labels');
  return { ...template, metadata: { ...fieldsAt(template, 'metadata'), labels } };
}

export const sizeOf = (set: Stored): number => numberAt(set, 'spec', 'replicas');
export const partOf = (set: Stored): Part => ({
  size: sizeOf(set),
  available: numberAt(set, 'status', 'availableReplicas'),
});

export const isRecreate = (deployment: Stored): boolean =>
  textAt(deployment, 'spec', 'strategy', 'type') === 'Recreate';

export const limitsOfDeployment = (deployment: Stored): Limits =>
  isRecreate(deployment)
    ? { replicas: sizeOf(deployment), maxSurge: 0, maxUnavailable: 0 }
    : limitsOf(sizeOf(deployment), fieldsAt(deployment, 'spec', 'strategy', 'rollingUpdate'));

/** The revision of the latest ReplicaSet: above all others. */
export function revisionFor({ latest, old }: Sets): number {
  const newest = Math.max(0, ...old.map(revisionOf));
  return latest && revisionOf(latest) > newest ? revisionOf(latest) : newest + 1;
}

/** Sets the revision and the copied annotations of the latest ReplicaSet. */
export function refreshSet(cluster: Cluster, deployment: Stored, sets: Sets): void {
  const { latest } = sets;
  if (!latest) return;
  const copied = { ...latest.metadata.annotations, ...copiedAnnotations(deployment) };
  const metadata = { ...latest.metadata, annotations: withHistory(copied, revisionFor(sets)) };
  const { minReadySeconds: _, ...spec } = fieldsAt(latest, 'spec');
  const next = { ...latest, metadata, spec: { ...spec, ...minReadyOf(deployment) } };
  if (!same(next, latest)) replace(cluster, cluster.registry.stored(setKey)!, latest, next, {});
}

/** Creates the ReplicaSet of a new template, as large as the rollout allows at first. */
export function makeSet(cluster: Cluster, deployment: Stored, sets: Sets): Stored | undefined {
  const template = fieldsAt(deployment, 'spec', 'template');
  const selector = fieldsAt(deployment, 'spec', 'selector');
  const hash = { 'pod-template-hash': templateHash(template) };
  const labels = { ...fieldsAt(template, 'metadata', 'labels'), ...hash };
  const limits = limitsOfDeployment(deployment);
  const crowded = isRecreate(deployment) && sets.old.some((set) => numberAt(set, 'status', 'replicas') > 0);
  const replicas = crowded ? 0 : newSize(limits, { size: 0, available: 0 }, sets.old.map(partOf));
  const made = makeObject(cluster, cluster.registry.stored(setKey)!, {
    metadata: {
      name: `${deployment.metadata.name}-${hash['pod-template-hash']}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations: withHistory({ ...copiedAnnotations(deployment), ...sizeAnnotations(limits) }, revisionFor(sets)),
      ownerReferences: [referenceTo(deployment)],
    },
    spec: {
      replicas,
      ...minReadyOf(deployment),
      selector: { ...selector, matchLabels: { ...fieldsAt(selector, 'matchLabels'), ...hash } },
      template: { ...template, metadata: { ...fieldsAt(template, 'metadata'), labels } },
    },
    status: { replicas: 0 },
  });
  if (made && replicas > 0) tellScaled(cluster, deployment, made, 0);
  return made;
}

/** Scales a ReplicaSet. */
export function resize(cluster: Cluster, deployment: Stored, set: Stored, size: number): void {
  const annotations = { ...set.metadata.annotations, ...sizeAnnotations(limitsOfDeployment(deployment)) };
  const before = sizeOf(set);
  if (before === size && same(annotations, set.metadata.annotations)) return;
  const next = {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...fieldsAt(set, 'spec'), replicas: size },
  };
  const written = replace(cluster, cluster.registry.stored(setKey)!, set, next, {});
  if (before !== size) tellScaled(cluster, deployment, written, before);
}

const minReadyOf = (deployment: Stored): Fields => {
  const seconds = at(deployment, 'spec', 'minReadySeconds');
  return seconds === undefined ? {} : { minReadySeconds: seconds };
};

function tellScaled(cluster: Cluster, deployment: Stored, set: Stored, from: number): void {
  const to = sizeOf(set);
  recordEvent(cluster, deployment, {
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message: `Scaled ${to > from ? 'up' : 'down'} replica set ${set.metadata.name} from ${from} to ${to}`,
    from: 'deployment-controller',
  });
}
