import { stat } from 'node:fs/promises';
import { type Connections, connectionsOf, type Endpoint } from '../../members/api-server/kubeconfig.ts';
import { identityOf } from '../../members/identity.ts';
import { eachOf } from '../../members/pool.ts';
import { placedStructureFault } from '../../repo/yaml/structure-fault.ts';
import { CliError } from '../terminal/exit.ts';
import { briefClient } from './member-client.ts';

/** Members that are asked at once, and the wait for each, milliseconds: one that does not respond shows nothing. */
const atOnce = 16;
const timeoutMs = 5_000;

/**
 * Error: CliError where the cluster of a context is a member already under another name, or the name is that of another cluster, unless
 * that is meant. `identity`: of the cluster, undefined where it cannot be read.
 */
export async function refuseOtherCluster(of: {
  readonly context: string;
  readonly name: string;
  readonly identity: string | undefined;
  readonly endpoint: Endpoint;
  /** Directory of kubeconfigs. */
  readonly dir: string;
  readonly members: readonly string[];
  readonly isMeant: boolean;
}): Promise<void> {
  const { context, name, identity, dir } = of;
  if ((await stat(dir).catch(() => undefined)) === undefined) return;
  const connections = await connectionsOf(dir, placedStructureFault);
  if (!of.isMeant && (await isOfOther(connections, of)))
    throw new CliError(
      `the kubeconfig of ${name} in ${dir} is of another cluster than ${context}, or of one that does not respond: name another --name, or give --replace if ${name} is to be this cluster from now on`,
    );
  if (identity === undefined) return;
  const others = connections.names.filter((other) => other !== name && of.members.includes(other));
  const same: string[] = [];
  await eachOf(others, atOnce, async (other) => {
    if ((await identityBy(connections, other)) === identity) same.push(other);
  });
  if (same.length > 0)
    throw new CliError(
      `${context} is the cluster of member ${same.sort()[0]} already: two members of one cluster would undo each other's changes; to give it another name, remove that member first`,
    );
}

/** Whether the kubeconfig of the name is of another cluster. One that cannot be read is the same if its address or authority is. */
async function isOfOther(
  connections: Connections,
  { name, identity, endpoint }: Pick<Parameters<typeof refuseOtherCluster>[0], 'name' | 'identity' | 'endpoint'>,
): Promise<boolean> {
  const before = await connections.endpoint(name).catch(() => undefined);
  if (before === undefined) return false;
  const known = await identityBy(connections, name);
  if (known !== undefined && identity !== undefined) return known !== identity;
  const authority = 'certificate-authority-data';
  return (
    before.server !== endpoint.server && (before[authority] === undefined || before[authority] !== endpoint[authority])
  );
}

async function identityBy(connections: Connections, name: string): Promise<string | undefined> {
  try {
    const transport = await connections.open(name);
    return transport && (await identityOf(briefClient(name, transport, timeoutMs)));
  } catch {
    // A member that does not respond, or a file that is no kubeconfig.
    return undefined;
  }
}
