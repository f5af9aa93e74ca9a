import { secretFromEnv } from '../../git/secret-from-env.ts';
import { systemClock } from '../../members/clock.ts';
import { type AzureIdentity, azureClouds } from '../../members/upgrade/aks/credentials.ts';
import { type ResourceManager, resourceManager } from '../../members/upgrade/aks/resource-manager.ts';
import { CliError } from '../terminal/exit.ts';

/** Azure as the identity of the environment, with the variables that workload identity sets; undefined without one. */
export async function azureFromEnv(env: NodeJS.ProcessEnv = process.env): Promise<ResourceManager | undefined> {
  const identity = await azureIdentity(env);
  return identity && resourceManager(identity, { clock: systemClock });
}

export async function azureIdentity(env: NodeJS.ProcessEnv): Promise<AzureIdentity | undefined> {
  const [tenant, client, path] = ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_FEDERATED_TOKEN_FILE'].map(
    (name) => env[name]?.trim() || undefined,
  );
  const { secret } = await secretFromEnv('AZURE_CLIENT_SECRET', env);
  if (tenant === undefined || client === undefined || (path === undefined && secret === undefined)) return undefined;
  if (!/^[A-Za-z0-9.-]+$/.test(tenant)) throw new CliError('AZURE_TENANT_ID is not the id of a tenant');
  const host = env['AZURE_AUTHORITY_HOST']?.replace(/\/+$/, '') || azureClouds[0]!.authority;
  const cloud = azureClouds.find(({ authority }) => authority === host);
  if (cloud === undefined)
    throw new CliError(
      `AZURE_AUTHORITY_HOST ${host} is no cloud that gitfleet knows: use one of ${azureClouds.map(({ authority }) => authority).join(', ')}`,
    );
  const proof = path === undefined ? { kind: 'secret' as const, secret: secret! } : { kind: 'file' as const, path };
  return { tenant, client, proof, cloud };
}
