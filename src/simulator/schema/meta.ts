import { all, any, bool, int, list, listBy, map, obj, oneOf, type Schema, setOf, str, time } from './schema.ts';

const ownerReference = obj(
  {
    ...all(str, 'apiVersion kind name uid'),
    controller: bool,
    blockOwnerDeletion: bool,
  },
  {
    name: 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
    atomic: true,
    required: ['apiVersion', 'kind', 'name', 'uid'],
  },
);

export const objectMeta: Schema = obj(
  {
    ...all(str, 'name generateName namespace selfLink uid resourceVersion'),
    generation: int,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: int,
    labels: map(str),
    annotations: map(str),
    ownerReferences: listBy(['uid'], ownerReference),
    finalizers: setOf(str, { mergeKey: '' }),
    managedFields: list(any),
  },
  {
    name: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    description: 'Standard object metadata.',
  },
);

const requirement = obj(
  { key: str, operator: str, values: list(str) },
  { name: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement', required: ['key', 'operator'] },
);

/** A metav1.LabelSelector, which server-side apply treats as one value. */
export const labelSelector: Schema = obj(
  { matchLabels: map(str), matchExpressions: list(requirement) },
  { name: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector', atomic: true },
);

export const condition: Schema = obj(
  {
    type: str,
    status: oneOf('True', 'False', 'Unknown'),
    reason: str,
    message: str,
    observedGeneration: int,
    ...all(time, 'lastTransitionTime lastUpdateTime lastHeartbeatTime lastProbeTime'),
  },
  { name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Condition', required: ['type', 'status'] },
);
export const conditions: Schema = listBy(['type'], condition);

export const localObjectReference: Schema = obj({ name: str }, { atomic: true });
export const typedReference: Schema = obj(
  { apiGroup: str, kind: str, name: str },
  { atomic: true, required: ['kind', 'name'] },
);
export const objectReference: Schema = obj(
  { apiVersion: str, kind: str, namespace: str, name: str, uid: str, resourceVersion: str, fieldPath: str },
  { name: 'io.k8s.api.core.v1.ObjectReference', atomic: true },
);

/** A whole object: its own fields with apiVersion, kind and metadata. */
export const kindSchema = (
  name: string,
  fields: Readonly<Record<string, Schema>>,
  more: Partial<Schema> = {},
): Schema => obj({ apiVersion: str, kind: str, metadata: objectMeta, ...fields }, { name, ...more });
