import { at, fieldsAt, numberAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import { same } from '../../fields/compare.ts';
import type { Stored } from '../../object.ts';
import { isFinished } from '../../pod-phase.ts';
import { remove } from '../../storage/remove.ts';
import { later, runController, soon } from '../controller.ts';
import { adopt } from '../owners/adopt.ts';
import type { Dependents } from '../owners/dependents.ts';
import { controllerOf } from '../owners/owner-reference.ts';
import { desiredOf, maxOf, revisionOf, withRevision } from './annotations.ts';
import { newSize, oldSizes, proportionalSizes } from './rolling-update.ts';
import {
  isRecreate,
  limitsOfDeployment,
  makeSet,
  partOf,
  refreshSet,
  resize,
  revisionFor,
  type Sets,
  setKey,
  setsOf,
  sizeOf,
} from './sets.ts';
import { deploymentStatus, isComplete } from './status.ts';

const key = 'apps/deployments';

/** Rolls Deployments out over ReplicaSets, in the steps of Kubernetes' deployment controller. */
export function runDeployments(cluster: Cluster, dependents: Dependents): void {
  function reconcile(deployment: Stored): void {
    adopt(cluster, dependents, deployment, setKey);
    const paused = at(deployment, 'spec', 'paused') === true;
    const replicas = numberAt(deployment, 'spec', 'replicas');
    const sets = setsOf(dependents, deployment);
    if (deployment.metadata.deletionTimestamp !== undefined) report(deployment, 'leave');
    else if (paused || sets.all.some((set) => sizeOf(set) > 0 && desiredOf(set) !== replicas)) {
      scaleAll(cluster, deployment, sets);
      report(deployment, paused ? 'pause' : 'leave');
    } else advance(deployment, sets);
  }

  function advance(deployment: Stored, sets: Sets): void {
    const revised = withOwnRevision(cluster, deployment, revisionFor(sets));
    const made = sets.latest ? undefined : makeSet(cluster, revised, sets);
    refreshSet(cluster, revised, setsOf(dependents, revised));
    if (isRecreate(revised)) recreate(revised);
    else roll(cluster, revised, setsOf(dependents, revised));
    forgetOldSets(cluster, revised, setsOf(dependents, revised));
    report(revised, made ? 'start' : 'continue');
  }

  function report(deployment: Stored, progress: Parameters<typeof deploymentStatus>[3]): void {
    const { status, nextMs } = deploymentStatus(cluster, deployment, setsOf(dependents, deployment), progress);
    if (!same(deployment['status'], status)) cluster.store.put(key, { ...deployment, status });
    later(cluster, key, deployment, { ms: nextMs, reconcile });
  }

  /** Recreate: all old pods are deleted before new ones are created. */
  function recreate(deployment: Stored): void {
    const { latest, old } = setsOf(dependents, deployment);
    for (const set of old) resize(cluster, deployment, set, 0);
    const left = old.some((set) => dependents.controlled(set, '/pods').some((pod) => !isFinished(pod)));
    if (!left && latest) resize(cluster, deployment, latest, sizeOf(deployment));
  }

  runController(cluster, { key, makes: [setKey], reconcile });
  // The status of its ReplicaSet does not show that the last old pod is gone.
  cluster.store.subscribe('/pods', ({ type, object }) => {
    const set = type === 'DELETED' ? controllerOf(object) : undefined;
    if (set?.kind !== 'ReplicaSet') return;
    const found = cluster.store.get(setKey, { name: set.name, namespace: object.metadata.namespace });
    const owner = found && controllerOf(found);
    if (owner) soon(cluster, key, { name: owner.name, namespace: object.metadata.namespace }, reconcile);
  });
}

function withOwnRevision(cluster: Cluster, deployment: Stored, revision: number): Stored {
  if (revisionOf(deployment) === revision) return deployment;
  const annotations = withRevision(deployment.metadata.annotations ?? {}, revision);
  return cluster.store.put(key, { ...deployment, metadata: { ...deployment.metadata, annotations } });
}

/** One step at a time: the change of the new ReplicaSet triggers the step for the old ones. */
function roll(cluster: Cluster, deployment: Stored, { latest, old }: Sets): void {
  if (!latest) return;
  const limits = limitsOfDeployment(deployment);
  const size = newSize(limits, partOf(latest), old.map(partOf));
  resize(cluster, deployment, latest, size);
  if (size !== sizeOf(latest)) return;
  const sizes = oldSizes(limits, partOf(latest), old.map(partOf));
  for (const [index, set] of old.entries()) resize(cluster, deployment, set, sizes[index]!);
}

/** After a change of `replicas`, or while paused: the rollout stays at its step, and each ReplicaSet is scaled in proportion. */
function scaleAll(cluster: Cluster, deployment: Stored, { latest, old, all }: Sets): void {
  const limits = limitsOfDeployment(deployment);
  const active = [...old, ...(latest ? [latest] : [])].filter((set) => sizeOf(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? latest ?? all.at(-1);
    if (only) resize(cluster, deployment, only, limits.replicas);
  } else if (latest && sizeOf(latest) === limits.replicas && partOf(latest).available === limits.replicas) {
    for (const set of old) resize(cluster, deployment, set, 0);
  } else if (!isRecreate(deployment)) {
    const sizes = proportionalSizes(limits, active.map(partOf), Math.max(...active.map(maxOf)));
    for (const [index, set] of active.entries()) resize(cluster, deployment, set, sizes[index]!);
  }
}

/** Deletes empty ReplicaSets beyond the revision history limit. */
function forgetOldSets(cluster: Cluster, deployment: Stored, { old }: Sets): void {
  if (!isComplete(deployment, fieldsAt(deployment, 'status'))) return;
  const empty = old.filter((set) => sizeOf(set) === 0 && numberAt(set, 'status', 'replicas') === 0);
  const surplus = empty.length - numberAt(deployment, 'spec', 'revisionHistoryLimit');
  const oldest = empty.sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, surplus));
  for (const set of oldest) remove(cluster, cluster.registry.stored(setKey)!, set, { propagation: 'Background' });
}
