import type { Cluster } from '../cluster.ts';
import { at, fieldsAt, numberAt, type Stored, textAt } from '../object.ts';
import type { Fields } from '../schema/schema.ts';
import { replace, writeStatus } from '../storage/write.ts';
import { withCondition } from './conditions.ts';
import { runController, soon } from './controller.ts';

const key = 'autoscaling/horizontalpodautoscalers';

/**
 * Keeps the target of each autoscaler within its bounds. There are no metrics here: every target counts as loaded exactly
 * as its author wishes, so inside the bounds nothing is scaled.
 */
export function runAutoscalers(cluster: Cluster): void {
  const kind = cluster.registry.stored(key)!;

  function reconcile(scaler: Stored): void {
    if (scaler.metadata.deletionTimestamp !== undefined) return;
    const target = targetOf(cluster, scaler);
    const tell = (from: Stored, type: string, status: 'True' | 'False', reason: string, message: string): Stored => ({
      ...from,
      status: {
        ...fieldsAt(from, 'status'),
        conditions: withCondition(cluster, from, { type, status, reason, message }),
      },
    });
    if (!target) {
      const wanted = textAt(scaler, 'spec', 'scaleTargetRef', 'name');
      const told = tell(
        scaler,
        'AbleToScale',
        'False',
        'FailedGetScale',
        `the HPA controller was unable to get the target's current scale: ${wanted} not found`,
      );
      writeStatus(cluster, kind, scaler, fieldsAt(told, 'status'));
      return;
    }
    const [low, high] = [numberAt(scaler, 'spec', 'minReplicas'), numberAt(scaler, 'spec', 'maxReplicas')];
    const current = numberAt(target.object, 'spec', 'replicas');
    // A target at zero is switched off: an autoscaler leaves it alone.
    const desired = current === 0 ? 0 : Math.min(high, Math.max(low, current));
    if (desired !== current) scale(target, desired);
    const limited = desired === current ? 'False' : 'True';
    const able = tell(scaler, 'AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size');
    const active =
      current === 0
        ? tell(
            able,
            'ScalingActive',
            'False',
            'ScalingDisabled',
            'scaling is disabled since the replica count of the target is zero',
          )
        : tell(
            able,
            'ScalingActive',
            'True',
            'ValidMetricFound',
            'the HPA was able to successfully calculate a replica count',
          );
    const told = tell(
      active,
      'ScalingLimited',
      limited,
      limited === 'False' ? 'DesiredWithinRange' : current < low ? 'TooFewReplicas' : 'TooManyReplicas',
      limited === 'False'
        ? 'the desired count is within the acceptable range'
        : `the desired replica count is ${current < low ? 'less than the minimum' : 'more than the maximum'} replica count`,
    );
    writeStatus(cluster, kind, scaler, {
      ...fieldsAt(told, 'status'),
      ...(scaler.metadata.generation === undefined ? {} : { observedGeneration: scaler.metadata.generation }),
      currentReplicas: numberAt(target.object, 'status', 'replicas'),
      desiredReplicas: desired,
    });
  }

  function scale({ targetKey, object }: Target, replicas: number): void {
    const next = { ...object, spec: { ...fieldsAt(object, 'spec'), replicas } };
    replace(cluster, cluster.registry.stored(targetKey)!, object, next, {});
  }

  runController(cluster, { key, reconcile });
  for (const targetKey of ['apps/deployments', 'apps/statefulsets', 'apps/replicasets']) {
    cluster.store.subscribe(targetKey, ({ object }) => {
      for (const scaler of cluster.store.list(key, object.metadata.namespace))
        if (textAt(scaler, 'spec', 'scaleTargetRef', 'name') === object.metadata.name)
          soon(cluster, key, scaler.metadata, reconcile);
    });
  }
}

interface Target {
  readonly targetKey: string;
  readonly object: Stored;
}

function targetOf(cluster: Cluster, scaler: Stored): Target | undefined {
  const { apiVersion, kind, name } = fieldsAt(scaler, 'spec', 'scaleTargetRef') as Fields & Record<string, string>;
  const found = cluster.registry.byKind(apiVersion ?? '', kind ?? '');
  if (found?.scale?.spec !== '.spec.replicas') return undefined;
  const targetKey = `${found.group}/${found.plural}`;
  const object = cluster.store.get(targetKey, { name: name ?? '', namespace: scaler.metadata.namespace });
  return object && at(object, 'metadata', 'deletionTimestamp') === undefined ? { targetKey, object } : undefined;
}
