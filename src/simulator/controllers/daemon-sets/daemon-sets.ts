import { fieldsAt, numberAt, textAt } from '../../../engine/kernel/at.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { isFinished } from '../../pod-phase.ts';
import { remove } from '../../storage/remove.ts';
import { writeStatus } from '../../storage/write.ts';
import { later, runController, soon } from '../controller.ts';
import { present } from '../deployments/replica-sets.ts';
import { recordEvent } from '../events.ts';
import { makePod } from '../make-object.ts';
import { adopt } from '../owners/adopt.ts';
import type { Dependents } from '../owners/dependents.ts';
import { forgetOldRevisions, hashOf, presentRevision, revisionLabel } from '../owners/revisions.ts';
import { countReady, isAvailable, readyFor } from '../pods/ready.ts';
import { belongsOn, type NodePods, nodePodsOf, onlyOn } from './nodes.ts';
import { type DaemonLimits, limitsOfDaemonSet, nextSteps } from './rollout.ts';

const key = 'apps/daemonsets';

/** Keeps one pod of each DaemonSet on every node that it fits, and replaces old ones as its strategy allows. */
export function runDaemonSets(cluster: Cluster, dependents: Dependents): void {
  const kind = cluster.registry.stored(key)!;
  const podKind = cluster.registry.stored('/pods')!;

  function reconcile(set: Stored): void {
    adopt(cluster, dependents, set, '/pods');
    const revision = presentRevision(cluster, dependents, set);
    if (!revision) return;
    const look = () => nodePodsOf(cluster, set, dependents.controlled(set, '/pods'), hashOf(revision));
    if (set.metadata.deletionTimestamp === undefined) {
      place(set, look());
      roll(set, look());
      const used = new Set(dependents.controlled(set, '/pods').map((pod) => pod.metadata.labels?.[revisionLabel]));
      forgetOldRevisions(cluster, dependents, set, (old) => old === revision || used.has(hashOf(old)));
    }
    report(set, look());
  }

  /** Creates missing pods, and deletes failed, surplus and misplaced ones. */
  function place(set: Stored, nodes: readonly NodePods[]): void {
    const surges = limitsOf(set, nodes).maxSurge > 0;
    for (const { name, runs, stays, pods, fresh, old } of nodes) {
      if (runs && pods.length === 0) make(set, name);
      if (!stays) for (const pod of pods) take(set, pod);
      else
        for (const pod of pods) {
          // A surging rollout has an old and a new pod on a node for a while.
          const kept = surges ? [fresh[0], old[0]] : [pods[0]];
          if (isFinished(pod) || !kept.includes(pod)) take(set, pod);
        }
    }
  }

  function roll(set: Stored, nodes: readonly NodePods[]): void {
    if (textAt(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return;
    const minReadySeconds = numberAt(set, 'spec', 'minReadySeconds');
    const available = (pod: Stored) =>
      pod.metadata.deletionTimestamp === undefined && isAvailable(cluster, pod, minReadySeconds);
    const { doomed, surging } = nextSteps(nodes, limitsOf(set, nodes), available);
    for (const pod of doomed) take(set, pod);
    for (const name of surging) make(set, name);
  }

  function make(set: Stored, node: string): void {
    const revision = presentRevision(cluster, dependents, set);
    if (!revision) return;
    const labels = {
      [revisionLabel]: hashOf(revision),
      'pod-template-generation': String(numberAt(revision, 'revision')),
    };
    const spec = onlyOn(node, fieldsAt(set, 'spec', 'template', 'spec'));
    const pod = makePod(cluster, set, { labels, spec });
    if (pod) event(set, 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  }

  function take(set: Stored, pod: Stored): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    remove(cluster, podKind, pod, { propagation: 'Background' });
    event(set, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  }

  function report(set: Stored, nodes: readonly NodePods[]): void {
    const wanted = nodes.filter(({ runs }) => runs);
    const oldest = wanted.flatMap(({ pods }) => pods.slice(0, 1));
    const minReadySeconds = numberAt(set, 'spec', 'minReadySeconds');
    const { available, nextMs } = countReady(cluster, oldest, minReadySeconds);
    writeStatus(cluster, kind, set, {
      observedGeneration: set.metadata.generation,
      currentNumberScheduled: oldest.length,
      desiredNumberScheduled: wanted.length,
      numberMisscheduled: nodes.filter(({ runs, pods }) => !runs && pods.length > 0).length,
      numberReady: oldest.filter((pod) => readyFor(cluster, pod) !== undefined).length,
      ...present({
        updatedNumberScheduled: wanted.filter(({ pods, fresh }) => pods[0] !== undefined && fresh.includes(pods[0]))
          .length,
        numberAvailable: available,
        numberUnavailable: wanted.length - available,
      }),
    });
    later(cluster, key, set, { ms: nextMs, reconcile });
  }

  const event = (set: Stored, reason: string, message: string) =>
    recordEvent(cluster, set, { type: 'Normal', reason, message, from: 'daemonset-controller' });

  runController(cluster, { key, makes: ['/pods'], reconcile });
  cluster.store.subscribe('/nodes', () => {
    for (const set of cluster.store.list(key)) soon(cluster, key, set.metadata, reconcile);
  });
}

const limitsOf = (set: Stored, nodes: readonly NodePods[]): DaemonLimits =>
  limitsOfDaemonSet(fieldsAt(set, 'spec', 'updateStrategy', 'rollingUpdate'), nodes.filter(({ runs }) => runs).length);

/** How many nodes a DaemonSet wants a pod on. */
export const nodesWanted = (cluster: Cluster, set: Stored | undefined): number =>
  set ? cluster.store.list('/nodes').filter((node) => belongsOn(set, node).runs).length : 0;
