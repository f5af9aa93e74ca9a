import type { Manifest } from '../../api/meta.ts';
import { type Right, rulesOf } from '../../members/rights.ts';

/** Names of the account of gitfleet on a member, as in deploy/member/rbac.yaml. */
export const account = { namespace: 'gitfleet-member', name: 'gitfleet', token: 'gitfleet-token' } as const;

const rbac = 'rbac.authorization.k8s.io/v1';
const roleName = 'gitfleet-member';
const upgradesName = 'gitfleet-upgrades';

/** The account and its rights, and a long-lived token for its kubeconfig, in the order in which they are to be applied. */
export function memberAccount(rights: readonly Right[]): Manifest[] {
  const { namespace, name } = account;
  const namespaceOf = (right: Right) => ('url' in right ? undefined : right.namespace);
  const everywhere = rights.filter((right) => namespaceOf(right) === undefined);
  const within = Map.groupBy(
    rights.filter((right) => namespaceOf(right) !== undefined),
    namespaceOf,
  );
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...granted({ name: roleName }, everywhere),
    ...[...within].flatMap(([namespace, those]) => granted({ name: upgradesName, namespace: namespace! }, those)),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: account.token,
        namespace,
        annotations: { 'kubernetes.io/service-account.name': name },
      },
      type: 'kubernetes.io/service-account-token',
    },
  ];
}

/** A role with its binding to the account, of the whole member or of a namespace. */
function granted(metadata: Manifest['metadata'], rights: readonly Right[]): Manifest[] {
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  return [
    { apiVersion: rbac, kind, metadata, rules: rulesOf(rights) },
    {
      apiVersion: rbac,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: account.name, namespace: account.namespace }],
    },
  ];
}
