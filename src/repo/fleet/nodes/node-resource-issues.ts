import type { z } from 'zod';
import { error, type Issue, warning } from '../../../api/issue.ts';
import type { Manifest } from '../../../api/meta.ts';
import { type AksNodeClass, aksNodeClass } from '../../../api/nodes/aks-node-class.ts';
import { nodeClaim, nodePool } from '../../../api/nodes/node-pool.ts';
import { isSubnetId } from '../../../api/nodes/subnet-id.ts';
import { schemaIssues } from '../../../api/schema-issues.ts';
import { withoutNulls } from '../../../api/without-nulls.ts';
import { withTriedFixes } from '../tried-fixes.ts';
import { nodeClaimIssues, nodePoolIssues } from './node-pool-issues.ts';

/** Issues of a NodePool, a NodeClaim or an AKSNodeClass; none of any other manifest. The rules run where the schema accepts it. */
export function nodeResourceIssues(manifest: object): readonly Issue[] {
  const { apiVersion = '', kind } = manifest as { readonly apiVersion?: string; readonly kind?: string };
  const [group] = apiVersion.split('/');
  if (group === 'karpenter.sh' && kind === 'NodePool') return checked(manifest, nodePool, nodePoolIssues);
  if (group === 'karpenter.azure.com' && kind === 'AKSNodeClass') return checked(manifest, aksNodeClass, classIssues);
  if (group === 'karpenter.sh' && kind === 'NodeClaim')
    return [ownClaim, ...checked(manifest, nodeClaim, nodeClaimIssues)];
  return [];
}

const ownClaim = warning(
  'no-use',
  ['kind'],
  'a NodeClaim is a request for one node of one cluster, and Karpenter makes them itself',
  'write a NodePool',
);

function checked<T>(manifest: object, schema: z.ZodType<T>, rules: (value: T) => Issue[]): readonly Issue[] {
  const { kind, metadata } = manifest as Manifest;
  return withTriedFixes(withoutNulls(manifest), (value) => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) return { issues: schemaIssues(parsed.error.issues, schema, value), isShaped: false };
    return { issues: [...rules(parsed.data), ...(metadata.namespace ? [namespaced(kind)] : [])], isShaped: true };
  }).issues;
}

const namespaced = (kind: string): Issue =>
  error('namespace-not-allowed', ['metadata', 'namespace'], `${kind} is cluster-scoped`, 'remove metadata.namespace');

function classIssues({ spec }: AksNodeClass): Issue[] {
  const id = spec?.vnetSubnetID;
  if (id === undefined || isSubnetId(id)) return [];
  return [
    error(
      'invalid-value',
      ['spec', 'vnetSubnetID'],
      `"${id}" is not the id of a subnet`,
      'write /subscriptions/…/resourceGroups/…/providers/Microsoft.Network/virtualNetworks/…/subnets/…',
    ),
  ];
}
