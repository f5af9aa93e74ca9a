import type { Connect } from '../../daemon/open-members.ts';
import type { Connections } from '../../members/api-server/kubeconfig.ts';
import { type ManagementClusters, managementClusters } from '../../members/upgrade/management.ts';
import { placedStructureFault } from '../../repo/yaml/structure-fault.ts';
import { unreadable } from '../terminal/file-errors.ts';

/** The management clusters of `--cluster-api`; undefined without it. Error: CliError, exit code 3. */
export async function managementNamed(option: string | undefined): Promise<ManagementClusters | undefined> {
  if (option === undefined) return undefined;
  const { connectionsOf } = await import('../../members/api-server/kubeconfig.ts');
  return managementClusters(
    await connectionsOf(option, placedStructureFault).catch(unreadable(`--cluster-api ${option}`)),
  );
}

/** Connections of kubeconfigs. Of members that none has, the kubeconfig that Cluster API keeps of them. */
export const connectBy =
  (connections: Pick<Connections, 'open'>, management: ManagementClusters | undefined): Connect =>
  async (name, setting) =>
    (await connections.open(name)) ?? (setting?.provider === 'cluster-api' ? management?.connect(setting) : undefined);
