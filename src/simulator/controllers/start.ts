import type { Cluster } from '../cluster.ts';
import { runAccountTokens } from './account-tokens.ts';
import { runBudgets } from './budgets.ts';
import { runCustomResources } from './custom-resources.ts';
import { runDaemonSets } from './daemon-sets/daemon-sets.ts';
import { runDeployments } from './deployments/deployments.ts';
import { runReplicaSets } from './deployments/replica-sets.ts';
import { runJobs } from './jobs/jobs.ts';
import { runLoadBalancers } from './load-balancers.ts';
import { makeObject } from './make-object.ts';
import { runNamespaces } from './namespaces.ts';
import { trackDependents } from './owners/dependents.ts';
import { collectGarbage } from './owners/garbage.ts';
import { runClaims, storageClass } from './pods/claims.ts';
import { runPods } from './pods/pods.ts';
import { runScheduler } from './pods/scheduler.ts';
import { runStatefulSets } from './stateful-sets/stateful-sets.ts';

/**
 * Starts the controllers of a cluster: called once, right after it is opened. They only react to changes, so an idle cluster has
 * no timers.
 */
export function startControllers(cluster: Cluster): void {
  const dependents = trackDependents(cluster);
  collectGarbage(cluster, dependents);
  runNamespaces(cluster);
  runAccountTokens(cluster);
  runDeployments(cluster, dependents);
  runReplicaSets(cluster, dependents);
  runDaemonSets(cluster, dependents);
  runStatefulSets(cluster, dependents);
  runJobs(cluster, dependents);
  runScheduler(cluster);
  runPods(cluster);
  runLoadBalancers(cluster);
  runClaims(cluster);
  runCustomResources(cluster);
  runBudgets(cluster);
  furnish(cluster);
}

/** Objects of a new cluster besides its namespaces. */
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
