import { fieldsAt, textAt } from '../../engine/kernel/at.ts';
import type { Cluster } from '../cluster.ts';
import type { Stored } from '../object.ts';
import { runController } from './controller.ts';

const key = '/secrets';
const account = 'kubernetes.io/service-account.name';

/** Fills in the tokens of Secrets for ServiceAccounts. Any token is accepted, so each is only text. */
export function runAccountTokens(cluster: Cluster): void {
  const reconcile = (secret: Stored): void => {
    const { namespace, annotations = {} } = secret.metadata;
    const name = annotations[account];
    if (textAt(secret, 'type') !== 'kubernetes.io/service-account-token' || name === undefined) return;
    const data = fieldsAt(secret, 'data');
    if (data['token'] !== undefined || !cluster.store.get('/serviceaccounts', { name, namespace })) return;
    const issued = {
      'ca.crt': base64('a simulated member has no certificate\n'),
      namespace: base64(namespace ?? ''),
      token: base64(`simulated-token-of-${name}`),
    };
    cluster.store.put(key, { ...secret, data: { ...data, ...issued } });
  };
  runController(cluster, { key, reconcile });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
