import type { KubeConfig } from '@kubernetes/client-node';
import { type MemberClient, memberClient } from '../api-server/client.ts';
import { httpTransport } from '../api-server/http-transport.ts';
import type { Connections } from '../api-server/kubeconfig.ts';
import { sharedLimits } from '../api-server/shared-limits.ts';
import type { Transport } from '../api-server/transport.ts';
import { systemClock } from '../clock.ts';
import type { ClusterRef } from './cluster-api/read.ts';
import { fieldAt } from './fields.ts';
import type { ProviderSetting } from './provider.ts';

/** Management clusters of Cluster API, by the contexts of a kubeconfig. */
export interface ManagementClusters {
  /** Where a member is; rejects when its reference or its context cannot be found. */
  find(setting: ProviderSetting): Promise<{ readonly client: MemberClient; readonly ref: ClusterRef }>;
  /** A connection to a member with the kubeconfig that Cluster API keeps of it. */
  connect(setting: ProviderSetting): Promise<Transport>;
}

export function managementClusters(connections: Pick<Connections, 'names' | 'open'>): ManagementClusters {
  const clients = new Map<string, Promise<MemberClient>>();
  const shared = sharedLimits();

  async function open(context: string): Promise<MemberClient> {
    const transport = await connections.open(context);
    if (transport === undefined) throw new Error(`the kubeconfig of --cluster-api has no context ${context}`);
    const life = new AbortController().signal;
    return memberClient({ name: context, transport, clock: systemClock, life, shared, refused: () => {} });
  }

  async function find(setting: ProviderSetting) {
    const { context, ...ref } = clusterRefOf(setting, connections.names);
    const client = clients.get(context) ?? open(context);
    clients.set(context, client);
    // A context that is added later is found then.
    client.catch(() => clients.delete(context));
    return { client: await client, ref };
  }

  /** Read each time: the certificate in it expires, and Cluster API renews it. */
  async function kubeconfig(setting: ProviderSetting): Promise<KubeConfig> {
    const { client, ref } = await find(setting);
    const name = `${ref.name}-kubeconfig`;
    const path = `/api/v1/namespaces/${ref.namespace}/secrets/${name}`;
    const secret = await client.object({ method: 'GET', path, tried: `read Secret ${ref.namespace}/${name}` });
    const value = fieldAt(secret, 'data', 'value');
    if (typeof value !== 'string') throw new Error(`Secret ${ref.namespace}/${name} has no data.value`);
    const { KubeConfig: Config } = await import('@kubernetes/client-node/dist/config.js');
    const config = new Config();
    config.loadFromString(Buffer.from(value, 'base64').toString('utf8'));
    refusePrograms(config, `Secret ${ref.namespace}/${name}`);
    return config;
  }

  return {
    find,
    connect: async (setting) => httpTransport(await kubeconfig(setting), () => kubeconfig(setting)),
  };
}

/** A kubeconfig from a cluster must not run programs here, or read files. */
function refusePrograms({ users, clusters }: KubeConfig, where: string): void {
  const isOwn = users.every((user) => !user.exec && !user.authProvider && !user.certFile && !user.keyFile);
  if (!isOwn || clusters.some(({ caFile }) => caFile !== undefined))
    throw new Error(`${where} names a program or a file: only a kubeconfig with its own certificates or token is used`);
}

/** Reads `[context/]namespace/cluster`. */
function clusterRefOf(
  { ref }: ProviderSetting,
  contexts: readonly string[],
): ClusterRef & { readonly context: string } {
  const [name, namespace, ...context] = (ref ?? '').split('/').reverse();
  if (!name || !namespace)
    throw new Error(`gitfleet.dev/upgrade-ref ${ref ?? 'is missing'}: write [context/]namespace/cluster`);
  if (![name, namespace].every((part) => /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(part)))
    throw new Error(
      `gitfleet.dev/upgrade-ref ${ref}: ${namespace}/${name} is not the name of a namespace and of a Cluster`,
    );
  if (context.length > 0) return { name, namespace, context: context.reverse().join('/') };
  if (contexts.length !== 1)
    throw new Error(
      `gitfleet.dev/upgrade-ref ${ref}: --cluster-api has ${contexts.length} contexts, so write context/namespace/cluster`,
    );
  return { name, namespace, context: contexts[0]! };
}
