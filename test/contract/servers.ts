import { builtServer } from './built-server.ts';
import { runningServer } from './running-server.ts';
import type { NamedServer } from './server.ts';
import { simulatedServer } from './simulated-server.ts';

/** What a real API server takes, for whoever runs the suite without one. */
export const howToRunOnARealServer = [
  'The contract suite ran over the simulator only. For a real API server set one of:',
  '  KUBEBUILDER_ASSETS=<directory with etcd and kube-apiserver>: both are started and ended;',
  '    get them with: go run sigs.k8s.io/controller-runtime/tools/setup-envtest@latest use -p path',
  '  KUBECONFIG=<file>: the cluster of its current context, or of GITFLEET_CONTRACT_CONTEXT. The suite makes',
  '    namespaces, CustomResourceDefinitions and objects of its own there and removes them again.',
].join('\n');

/** The simulator, always, and real API servers that the environment names. */
export function contractServers(env: Readonly<Record<string, string | undefined>>): NamedServer[] {
  const { KUBEBUILDER_ASSETS: assets, KUBECONFIG: kubeconfig, GITFLEET_CONTRACT_CONTEXT: context } = env;
  if (context && !kubeconfig)
    throw new Error(`GITFLEET_CONTRACT_CONTEXT names ${context}, but KUBECONFIG names no file`);
  const servers: NamedServer[] = [{ name: 'the simulator', open: simulatedServer }];
  if (assets) servers.push({ name: `kube-apiserver of ${assets}`, open: () => builtServer(assets) });
  if (kubeconfig)
    servers.push({ name: `the cluster of ${kubeconfig}`, open: () => runningServer(kubeconfig, context || undefined) });
  return servers;
}
