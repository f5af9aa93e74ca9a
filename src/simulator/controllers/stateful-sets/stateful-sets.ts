import { at, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { isFinished } from '../../pod-phase.ts';
import { remove } from '../../storage/remove.ts';
import { isTrue } from '../conditions.ts';
import { later, runController } from '../controller.ts';
import { recordEvent } from '../events.ts';
import { makePod } from '../make-object.ts';
import { adopt } from '../owners/adopt.ts';
import type { Dependents } from '../owners/dependents.ts';
import { forgetOldRevisions, presentRevision, revisionLabel, revisionsOf, templateOf } from '../owners/revisions.ts';
import { isAvailable } from '../pods/ready.ts';
import { claimsFor, ordinalOf, ownClaims, podOf, revisionOf, type Templates } from './pods.ts';
import { statefulStatus } from './status.ts';

const key = 'apps/statefulsets';

/** Keeps numbered pods, in sequence unless podManagementPolicy is Parallel (statefulset/stateful_set_control.go). */
export function runStatefulSets(cluster: Cluster, dependents: Dependents): void {
  const kind = cluster.registry.stored('/pods')!;

  function reconcile(set: Stored): void {
    adopt(cluster, dependents, set, '/pods');
    const templates = templatesOf(set);
    if (!templates) return;
    if (set.metadata.deletionTimestamp === undefined) step(set, templates);
    ownClaims(cluster, set, podsOf(set));
    const { status, nextMs } = statefulStatus(cluster, set, podsOf(set), templates);
    const updated = status === set['status'] ? set : cluster.store.put(key, { ...set, status });
    later(cluster, key, updated, { ms: nextMs, reconcile });
    const used = new Set(podsOf(set).map((pod) => pod.metadata.labels?.[revisionLabel]));
    forgetOldRevisions(cluster, dependents, set, (revision) =>
      [textAt(status, 'currentRevision'), textAt(status, 'updateRevision'), ...used].includes(revision.metadata.name),
    );
  }

  const podsOf = (set: Stored): Stored[] =>
    dependents.controlled(set, '/pods').sort((a, b) => ordinalOf(a) - ordinalOf(b));

  function templatesOf(set: Stored): Templates | undefined {
    const update = presentRevision(cluster, dependents, set);
    if (!update) return undefined;
    const name = textAt(set, 'status', 'currentRevision');
    const current = revisionsOf(dependents, set).find((revision) => revision.metadata.name === name);
    return { current: current ?? update, update };
  }

  /** One step: only the first deviation in order is corrected. */
  function step(set: Stored, templates: Templates): void {
    const parallel = textAt(set, 'spec', 'podManagementPolicy') === 'Parallel';
    const minReadySeconds = numberAt(set, 'spec', 'minReadySeconds');
    const start = numberAt(set, 'spec', 'ordinals', 'start');
    const replicas = numberAt(set, 'spec', 'replicas');
    const pods = new Map(podsOf(set).map((pod) => [ordinalOf(pod), pod]));
    const good = (pod: Stored | undefined): boolean =>
      pod !== undefined &&
      pod.metadata.deletionTimestamp === undefined &&
      isTrue(pod, 'Ready') &&
      isAvailable(cluster, pod, minReadySeconds);

    for (let ordinal = start; ordinal < start + replicas; ordinal++) {
      const pod = pods.get(ordinal);
      if (pod && isFinished(pod)) remove(cluster, kind, pod, { gracePeriodSeconds: 0 });
      if (!pod || isFinished(pod)) make(set, ordinal, templates);
      if (!parallel && !good(pod)) return;
    }
    const condemned = [...pods.keys()].filter((ordinal) => ordinal < start || ordinal >= start + replicas).reverse();
    for (const ordinal of condemned) {
      take(set, pods.get(ordinal)!);
      if (!parallel) return;
    }
    if (textAt(set, 'spec', 'updateStrategy', 'type') !== 'OnDelete') roll();

    /** From the last pod to the partition, one at a time. */
    function roll(): void {
      const last = Math.max(start, numberAt(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition'));
      for (let ordinal = start + replicas - 1; ordinal >= last; ordinal--) {
        const pod = pods.get(ordinal);
        const isOld = pod !== undefined && revisionOf(pod) !== templates.update.metadata.name;
        if (isOld) take(set, pod);
        if (isOld || !good(pod)) return;
      }
    }
  }

  function make(set: Stored, ordinal: number, { current, update }: Templates): void {
    const partition = at(set, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
    const old = typeof partition === 'number' && ordinal < partition;
    const revision = old ? current : update;
    claimsFor(cluster, set, ordinal);
    const pod = makePod(cluster, set, podOf(set, ordinal, revision.metadata.name, templateOf(revision)));
    if (pod)
      event(set, 'SuccessfulCreate', `create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`);
  }

  function take(set: Stored, pod: Stored): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    remove(cluster, kind, pod, { propagation: 'Background' });
    event(set, 'SuccessfulDelete', `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`);
  }

  const event = (set: Stored, reason: string, message: string) =>
    recordEvent(cluster, set, { type: 'Normal', reason, message, from: 'statefulset-controller' });

  runController(cluster, { key, makes: ['/pods'], reconcile });
}
