import type { Stored } from '../../object.ts';
import type { Limits } from './rolling-update.ts';

const revision = 'deployment.kubernetes.io/revision';
const history = 'deployment.kubernetes.io/revision-history';
const desired = 'deployment.kubernetes.io/desired-replicas';
const most = 'deployment.kubernetes.io/max-replicas';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

type Annotations = Readonly<Record<string, string>>;

const numberIn = (object: Stored, name: string): number => Number(object.metadata.annotations?.[name] ?? 0);

/** Counts the templates of a Deployment; 0 before its first rollout. */
export const revisionOf = (object: Stored): number => numberIn(object, revision);
/** Replicas of the Deployment when its ReplicaSet was last resized. */
export const desiredOf = (set: Stored): number => numberIn(set, desired);
/** The same with surge. */
export const maxOf = (set: Stored): number => numberIn(set, most);

export const sizeAnnotations = ({ replicas, maxSurge }: Limits): Annotations => ({
  [desired]: String(replicas),
  [most]: String(replicas + maxSurge),
});

/** Annotations that a ReplicaSet copies from its Deployment. */
export const copiedAnnotations = (deployment: Stored): Annotations =>
  Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(
      ([name]) => name !== lastApplied && ![revision, history, desired, most].includes(name),
    ),
  );

export const withRevision = (annotations: Annotations, number: number): Annotations => ({
  ...annotations,
  [revision]: String(number),
});

/** A ReplicaSet that becomes the newest again keeps its earlier revisions in an annotation. */
export function withHistory(annotations: Annotations, number: number): Annotations {
  const before = annotations[revision];
  if (before === undefined || before === String(number)) return withRevision(annotations, number);
  const past = annotations[history];
  return { ...withRevision(annotations, number), [history]: past === undefined ? before : `${past},${before}` };
}
