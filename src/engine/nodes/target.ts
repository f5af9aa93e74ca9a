import type { CommandNode, NodeCommand, RecordedClaim } from '../../api/nodes/node-plan.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { parseDuration } from '../kernel/duration.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import type { NodeTarget } from '../plan-document.ts';

/**
 * What an actor receives: all nodes that are to be tainted or gone, and what is to be launched. Without commands under way both are empty.
 */
export function targetOf(
  commands: readonly NodeCommand[],
  claims: readonly RecordedClaim[],
  digest: (text: string) => string,
): NodeTarget {
  const acting = commands.filter(({ phase }) => phase === 'Launching' || phase === 'Removing');
  const byUid = new Map(claims.map((claim) => [claim.uid, claim]));
  const byNode = new Map(claims.map((claim) => [claim.node, claim]));
  const claimOf = ({ name, uid }: CommandNode) => (uid === undefined ? byNode.get(name) : byUid.get(uid));
  const nodes = acting.flatMap(({ id, phase, since, nodes: own }) =>
    own.map((node) => {
      const { name } = node;
      const claim = claimOf(node);
      const uid = node.uid ?? claim?.uid;
      const grace = claim?.terminationGracePeriod;
      const deadline =
        phase === 'Removing' && grace !== undefined ? parseInstant(since ?? '')! + parseDuration(grace)! : undefined;
      return {
        name,
        ...(uid === undefined ? {} : { uid }),
        ...(claim ? { claim: claim.name } : {}),
        want: phase === 'Launching' ? ('Tainted' as const) : ('Gone' as const),
        ...(deadline === undefined ? {} : { deadline: formatInstant(deadline) }),
        command: id,
      };
    }),
  );
  const launches = acting
    .filter(({ phase }) => phase === 'Launching')
    .flatMap(({ id, replacements }) =>
      replacements.map(({ name, pool, instanceType, zone, capacityType, options, labels }) => ({
        name,
        pool,
        instanceType,
        zone,
        capacityType,
        options,
        ...(labels ? { labels } : {}),
        command: id,
      })),
    );
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
  const content = { nodes: nodes.sort(byName), launches: launches.sort(byName) };
  return { digest: `sha256:${digest(canonicalJson(content))}`, ...content };
}
