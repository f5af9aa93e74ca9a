import { stringify } from 'yaml';

/** A kubeconfig with one context for each member, named as the member. */
export function kubeconfigOf(names: readonly string[], urlOf: (name: string) => string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: names.map((name) => ({ name, cluster: { server: urlOf(name) } })),
    users: [{ name: 'anyone', user: {} }],
    contexts: names.map((name) => ({ name, context: { cluster: name, user: 'anyone' } })),
    'current-context': names[0] ?? '',
  });
}
