import type { ClusterName } from '../api/meta.ts';
import { listUpTo } from '../engine/kernel/short-list.ts';

/** Names in a message; the rest are counted. */
const mostNamed = 4;

/**
 * Contexts without a member, where members lack a context: the names differ most likely. Undefined where every member has one, since a
 * kubeconfig may have others too.
 */
export function spareContexts(
  contexts: readonly string[],
  members: ReadonlySet<ClusterName>,
): { readonly text: string; readonly fix: string } | undefined {
  const spare = contexts.filter((name) => !members.has(name));
  const lacking = [...members].filter((name) => !contexts.includes(name));
  if (spare.length === 0 || lacking.length === 0) return undefined;
  // Such as kind-eu-1 for eu-1; which of the others is meant is unknown.
  const pair = spare.flatMap((context) =>
    lacking.filter((name) => context.includes(name)).map((name) => [context, name]),
  );
  const [context, name] = pair[0] ?? ['CONTEXT', lacking[0]];
  const those = (names: readonly string[]): string => listUpTo(names, mostNamed);
  return {
    text: `the kubeconfig has ${those(spare)}, and no MemberCluster of such a name`,
    fix: `gitfleet join ${context} --name ${name} writes a kubeconfig of the right name to kubeconfigs/`,
  };
}
