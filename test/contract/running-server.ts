import { readFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { parse } from 'yaml';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { systemClock } from '../../src/members/clock.ts';
import { missingRights } from './rights.ts';
import type { ContractServer } from './server.ts';

/**
 * A cluster that is running, by kubeconfig file or files: of the context named, else of the current one. Rejects when there is
 * none, when its server does not answer, and when its user may not do what the suite does, so that nothing is left half done.
 */
export async function runningServer(kubeconfig: string, named: string | undefined): Promise<ContractServer> {
  const context = named ?? (await currentContext(kubeconfig));
  const transport = await (await connectionsOf(kubeconfig)).open(context);
  if (!transport) throw new Error(`KUBECONFIG is ${kubeconfig}, where there is no context ${context}`);
  const missing = await missingRights(transport).catch((error: unknown) => {
    const hint = 'unset KUBECONFIG to leave it out';
    throw new Error(`the cluster of the context ${context} in ${kubeconfig} cannot be asked; ${hint}`, {
      cause: error,
    });
  });
  if (missing.length > 0)
    throw new Error(
      `the user of the context ${context} in ${kubeconfig} may not do what the suite does: ${missing.join(', ')}`,
    );
  const controllers = await hasControllers(transport);
  return {
    kubeconfig,
    context,
    clock: systemClock,
    forget: () => {},
    forgetsWithinMs: 10 * 60_000,
    controllers,
    close: async () => {},
  };
}

/** A controller makes that account in every namespace, `kube-system` among them, which a server makes by itself. */
async function hasControllers(transport: Transport): Promise<boolean> {
  const path = '/api/v1/namespaces/kube-system/serviceaccounts/default';
  const response = await transport({ method: 'GET', path, headers: {} });
  for await (const _ of response.body);
  if (response.status !== 200 && response.status !== 404) throw new Error(`${path}: ${response.status}`);
  return response.status === 200;
}

/** As kubectl: of several files the first that names one. */
async function currentContext(kubeconfig: string): Promise<string> {
  for (const file of kubeconfig.split(delimiter).filter(Boolean)) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const context: unknown = parse(text)?.['current-context'];
    if (typeof context === 'string' && context !== '') return context;
  }
  throw new Error(`KUBECONFIG is ${kubeconfig}, which names no current-context: set GITFLEET_CONTRACT_CONTEXT`);
}
