import { readFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { parse } from 'yaml';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import { systemClock } from '../../src/members/clock.ts';
import type { ContractServer } from './server.ts';

/**
 * A cluster that is running, by kubeconfig file or files: of the context named, else of the current one. Rejects when there is
 * none, or when its server does not answer.
 */
export async function runningServer(kubeconfig: string, named: string | undefined): Promise<ContractServer> {
  const context = named ?? (await currentContext(kubeconfig));
  const transport = await (await connectionsOf(kubeconfig)).open(context);
  if (!transport) throw new Error(`KUBECONFIG is ${kubeconfig}, where there is no context ${context}`);
  const ask = async (path: string): Promise<number> => {
    const response = await transport({ method: 'GET', path, headers: {} });
    for await (const _ of response.body);
    return response.status;
  };
  const status = await ask('/version').catch((error: unknown) => {
    const hint = 'unset KUBECONFIG to leave it out';
    throw new Error(`the server of the context ${context} in ${kubeconfig} does not answer; ${hint}`, { cause: error });
  });
  if (status !== 200) throw new Error(`the server of the context ${context} in ${kubeconfig} answers ${status}`);
  // A controller makes it in every namespace.
  const controllers = (await ask('/api/v1/namespaces/kube-system/serviceaccounts/default')) === 200;
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

/** As kubectl: of several files the first that names one. */
async function currentContext(kubeconfig: string): Promise<string> {
  for (const file of kubeconfig.split(delimiter).filter(Boolean)) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const context: unknown = parse(text)?.['current-context'];
    if (typeof context === 'string' && context !== '') return context;
  }
  throw new Error(`KUBECONFIG is ${kubeconfig}, which names no current-context: set GITFLEET_CONTRACT_CONTEXT`);
}
