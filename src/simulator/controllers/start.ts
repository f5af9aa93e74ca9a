import type { Cluster } from '../cluster.ts';
import { runAutoscalers } from './autoscalers.ts';
import { runBudgets } from './budgets.ts';
import { runClaims, storageClass } from './claims.ts';
import { makeObject } from './common.ts';
import { runCronJobs } from './cron-jobs.ts';
import { runCustomResources } from './custom-resources.ts';
import { runDaemonSets } from './daemon-sets.ts';
import { trackDependents } from './dependents.ts';
import { runDeployments } from './deployments.ts';
import { collectGarbage } from './garbage.ts';
import { runJobs } from './jobs.ts';
import { runLoadBalancers } from './load-balancers.ts';
import { runNamespaces } from './namespaces.ts';
import { runPods } from './pods.ts';
import { runReplicaSets } from './replica-sets.ts';
import { runScheduler } from './scheduler.ts';
import { runStatefulSets } from './stateful-sets.ts';

/**
 * Lets a cluster live: called once, right after it is opened. Controllers only listen; a cluster in which nothing changes
 * has no timer and costs no time.
 */
export function startControllers(cluster: Cluster): void {
  const dependents = trackDependents(cluster);
  collectGarbage(cluster, dependents);
  runNamespaces(cluster);
  runDeployments(cluster, dependents);
  runReplicaSets(cluster, dependents);
  runDaemonSets(cluster, dependents);
  runStatefulSets(cluster, dependents);
  runJobs(cluster, dependents);
  runCronJobs(cluster, dependents);
  runAutoscalers(cluster);
  runScheduler(cluster);
  runPods(cluster);
  runLoadBalancers(cluster);
  runClaims(cluster);
  runCustomResources(cluster);
  runBudgets(cluster);
  furnish(cluster);
}

/** What a fresh cluster holds beside its namespaces. */
function furnish(cluster: Cluster): void {
  makeObject(cluster, cluster.registry.stored('storage.k8s.io/storageclasses')!, {
    metadata: { name: storageClass, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'simulator.gitfleet.dev',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
  });
  makeObject(cluster, cluster.registry.stored('/services')!, {
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    },
  });
}
