import { at, fieldsAt, listAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import type { Condition } from '../conditions.ts';
import { present } from './replica-sets.ts';
import { limitsOfDeployment, type Sets, sizeOf } from './sets.ts';

/** What the step did: started the rollout, continued it, kept it paused, or only scaled it. */
export type Progress = 'start' | 'continue' | 'pause' | 'leave';

/** The status of a Deployment (deployment/sync.go and progress.go), and when time alone will change it. */
export function deploymentStatus(
  cluster: Cluster,
  deployment: Stored,
  sets: Sets,
  progress: Progress,
): { readonly status: Fields; readonly nextMs: number | undefined } {
  const sum = (field: string) => sets.all.reduce((total, set) => total + numberAt(set, 'status', field), 0);
  const available = sum('availableReplicas');
  const counts = {
    replicas: sum('replicas'),
    updatedReplicas: numberAt(sets.latest, 'status', 'replicas'),
    readyReplicas: sum('readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sets.all.reduce((total, set) => total + sizeOf(set), 0) - available),
  };
  const { replicas, maxUnavailable } = limitsOfDeployment(deployment);
  const enough = available >= replicas - maxUnavailable;
  const conditions = new Conditions(cluster, listAt(deployment, 'status', 'conditions'));
  conditions.set({
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${enough ? 'has' : 'does not have'} minimum availability.`,
  });
  const now = { observedGeneration: deployment.metadata.generation, ...counts };
  const nextMs = judgeProgress({ cluster, deployment, sets, progress, conditions, now });
  return {
    status: { observedGeneration: deployment.metadata.generation, ...present(counts), conditions: conditions.all() },
    nextMs,
  };
}

export const isComplete = (deployment: Stored, status: Fields): boolean => {
  const replicas = sizeOf(deployment);
  return (
    ['updatedReplicas', 'replicas', 'availableReplicas'].every((field) => numberAt(status, field) === replicas) &&
    numberAt(status, 'observedGeneration') >= (deployment.metadata.generation ?? 0)
  );
};

interface Judged {
  readonly cluster: Cluster;
  readonly deployment: Stored;
  readonly sets: Sets;
  readonly progress: Progress;
  readonly conditions: Conditions;
  readonly now: Fields;
}

function judgeProgress({ cluster, deployment, sets, progress, conditions, now }: Judged): number | undefined {
  const deadline = at(deployment, 'spec', 'progressDeadlineSeconds');
  const about = sets.latest ? `ReplicaSet "${sets.latest.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const say = (status: Condition['status'], reason: string, message: string) =>
    conditions.set({ type: 'Progressing', status, reason, message });
  const reason = () => textAt(conditions.get('Progressing'), 'reason');

  if (progress === 'pause') {
    if (reason() !== 'ProgressDeadlineExceeded') say('Unknown', 'DeploymentPaused', 'Deployment is paused');
    return undefined;
  }
  if (reason() === 'DeploymentPaused') say('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  if (progress === 'leave') return undefined;
  // In Kubernetes 2^31-1 means no deadline, and then there is no Progressing condition.
  if (typeof deadline !== 'number' || deadline === 2_147_483_647) {
    conditions.drop('Progressing');
    return undefined;
  }
  if (progress === 'start')
    say('True', 'NewReplicaSetCreated', `Created new replica set "${sets.latest?.metadata.name}"`);
  else if (reason() === '') say('True', 'FoundNewReplicaSet', `Found new replica set "${sets.latest?.metadata.name}"`);

  const settled =
    numberAt(now, 'replicas') === numberAt(now, 'updatedReplicas') && reason() === 'NewReplicaSetAvailable';
  if (settled) return undefined;
  if (isComplete(deployment, now)) {
    say('True', 'NewReplicaSetAvailable', `${about} has successfully progressed.`);
    return undefined;
  }
  if (hasMoved(fieldsAt(deployment, 'status'), now)) conditions.renew('ReplicaSetUpdated', `${about} is progressing.`);
  if (reason() === 'ProgressDeadlineExceeded' || reason() === 'NewReplicaSetAvailable') return undefined;
  const since = Date.parse(textAt(conditions.get('Progressing'), 'lastUpdateTime'));
  const left = since + deadline * 1000 - cluster.clock.now();
  if (left > 0) return left;
  say('False', 'ProgressDeadlineExceeded', `${about} has timed out progressing.`);
  return undefined;
}

/** More of the new, less of the old, more ready or more available (deployment/util, DeploymentProgressing). */
function hasMoved(before: Fields, now: Fields): boolean {
  const old = (status: Fields) => numberAt(status, 'replicas') - numberAt(status, 'updatedReplicas');
  const grew = (field: string) => numberAt(now, field) > numberAt(before, field);
  return grew('updatedReplicas') || old(now) < old(before) || grew('readyReplicas') || grew('availableReplicas');
}

/** Conditions of a Deployment have a last update time besides the last transition time. */
class Conditions {
  private readonly cluster: Cluster;
  private list: readonly unknown[];

  constructor(cluster: Cluster, list: readonly unknown[]) {
    this.cluster = cluster;
    this.list = list;
  }

  all(): readonly unknown[] {
    return this.list;
  }

  get(type: string): unknown {
    return this.list.find((item) => textAt(item, 'type') === type);
  }

  drop(type: string): void {
    this.list = this.list.filter((item) => textAt(item, 'type') !== type);
  }

  /** Keeps a condition with the same status and reason. */
  set(condition: Condition): void {
    const old = this.get(condition.type);
    if (textAt(old, 'status') === condition.status && textAt(old, 'reason') === condition.reason) return;
    this.write(condition);
  }

  /** Sets the update time of Progressing to now, also if nothing else changes. */
  renew(reason: string, message: string): void {
    this.write({ type: 'Progressing', status: 'True', reason, message });
  }

  private write(condition: Condition): void {
    const old = this.get(condition.type);
    const now = this.cluster.timestamp();
    const lastTransitionTime = textAt(old, 'status') === condition.status ? at(old, 'lastTransitionTime') : now;
    const next = { ...condition, lastUpdateTime: now, lastTransitionTime };
    this.list = old === undefined ? [...this.list, next] : this.list.map((item) => (item === old ? next : item));
  }
}
