import { hasRow } from '../compiled/bits.ts';
import type { Member } from '../members.ts';
import type { Rule } from './rule.ts';

/** KubeFleet namespaceaffinity: a ResourcePlacement needs a cluster with its namespace, or without collected namespaces. */
export const namespaceAffinity: Rule = {
  name: 'NamespaceAffinity',
  facets: ({ kind, metadata: { namespace = '' } }) =>
    kind === 'ResourcePlacement'
      ? [{ kind: 'namespace', name: namespace, textOf: (member) => (mayHold(member, namespace) ? '' : '-') }]
      : [],
  filter({ kind, metadata: { namespace = '' } }, index) {
    if (kind !== 'ResourcePlacement') return undefined;
    const mask = index.rowsWhere((member) => mayHold(member, namespace), `namespace ${namespace}`);
    return {
      mask,
      reasons: (row) => (hasRow(mask, row) ? [] : [`namespace "${namespace}" does not exist on the cluster`]),
    };
  },
};

const mayHold = ({ namespaces }: Member, namespace: string): boolean => namespaces?.has(namespace) ?? true;
