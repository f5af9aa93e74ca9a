import type { Cluster } from '../cluster.ts';
import { create } from '../storage/write.ts';
import { collectGarbage } from './garbage.ts';

/** Namespaces that every cluster has from its first moment. */
const systemNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Lets a cluster live: called once, right after it is opened. */
export function startControllers(cluster: Cluster): void {
  collectGarbage(cluster);
  const kind = cluster.registry.stored('/namespaces')!;
  for (const name of systemNamespaces) create(cluster, kind, { metadata: { name }, status: { phase: 'Active' } }, {});
}
