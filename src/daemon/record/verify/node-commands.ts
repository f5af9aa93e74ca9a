import type { ClusterName, Manifest } from '../../../api/meta.ts';
import type { NodePlan, RecordedClaim } from '../../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { textAt } from '../../../engine/node-pools/read-fields.ts';
import { uidOf } from '../../../engine/nodes/cluster/cluster-nodes.ts';
import { isMarkedFor } from '../../../members/nodes/act/marks.ts';

/**
 * What the record claims about nodes. Whoever can push to the status branch must not remove nodes: a command that has begun counts where
 * this daemon began it, or where its nodes show it; else it is forgotten, and decided anew.
 */
export interface NodeVerifier {
  /** The record without commands that nodes do not show, and without claims that would end nodes by force. */
  withoutUnproven(record: FleetRecord, observations: ReadonlyMap<ClusterName, ClusterObservation>): FleetRecord;
  /** This daemon published the record, on top of a verified one. */
  trust(record: FleetRecord): void;
}

export function nodeVerifier(): NodeVerifier {
  /** `cluster id` of commands that this daemon began, or that nodes showed. */
  const proven = new Set<string>();
  /** Claims as this daemon recorded them. */
  const known = new Map<string, string>();
  /** Members whose commands were verified: of others nothing is trusted. */
  let verified: ReadonlySet<ClusterName> = new Set();

  function provenPlan(
    cluster: ClusterName,
    plan: NodePlan,
    { nodes = [], objects, extras }: ClusterObservation,
  ): NodePlan {
    const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
    const pools = new Map(
      [...objects, ...extras].flatMap((one) => (one.kind === 'NodePool' ? [[one.metadata.name, one]] : [])),
    );
    const commands = plan.commands.filter(({ id, phase, nodes: own }) => {
      if (phase === 'Proposed' || phase === 'Validating' || proven.has(`${cluster} ${id}`)) return true;
      return own.every(({ name }) => !byName.has(name) || isMarkedFor(byName.get(name)!, id));
    });
    const claims = plan.claims.map((claim) =>
      known.get(`${cluster} ${claim.uid}`) === JSON.stringify(claim)
        ? claim
        : provenClaim(claim, byName.get(claim.node ?? claim.name), pools.get(claim.pool ?? '')),
    );
    const isSame = commands.length === plan.commands.length && claims.every((claim, at) => claim === plan.claims[at]);
    return isSame ? plan : { ...plan, commands, claims };
  }

  return {
    withoutUnproven(record, observations) {
      const seen = new Map([...observations].filter(([, { nodes }]) => nodes !== undefined));
      verified = new Set(seen.keys());
      const nodes = new Map(
        [...record.nodes].map(([cluster, plan]) => {
          const observation = seen.get(cluster);
          return [cluster, observation ? provenPlan(cluster, plan, observation) : plan];
        }),
      );
      return [...nodes].every(([cluster, plan]) => plan === record.nodes.get(cluster)) ? record : { ...record, nodes };
    },
    trust({ nodes }) {
      for (const [cluster, { commands, claims }] of nodes) {
        if (!verified.has(cluster)) continue;
        for (const { id, phase } of commands)
          if (phase === 'Launching' || phase === 'Removing') proven.add(`${cluster} ${id}`);
          else proven.delete(`${cluster} ${id}`);
        for (const claim of claims) known.set(`${cluster} ${claim.uid}`, JSON.stringify(claim));
      }
    },
  };
}

/**
 * How old a node is says the node. When it expires, and when its drain ends by force, count as recorded where its NodePool says the same;
 * else the node goes by drift, which respects budgets.
 */
function provenClaim(claim: RecordedClaim, node: Manifest | undefined, pool: Manifest | undefined): RecordedClaim {
  const { createdAt, expireAfter, terminationGracePeriod, ...rest } = claim;
  const spec = (field: string): string | undefined => textAt(pool, 'spec', 'template', 'spec', field);
  const isOfNode = node !== undefined && uidOf(node) === claim.uid;
  const isAge = isOfNode && Date.parse(createdAt ?? '') === Date.parse(node.metadata.creationTimestamp ?? '');
  const expiry = spec('expireAfter') ?? textAt(pool, 'spec', 'disruption', 'expireAfter');
  const kept = {
    ...rest,
    ...(createdAt !== undefined && isAge ? { createdAt } : {}),
    ...(expireAfter !== undefined && expireAfter === expiry ? { expireAfter } : {}),
    ...(terminationGracePeriod !== undefined && terminationGracePeriod === spec('terminationGracePeriod')
      ? { terminationGracePeriod }
      : {}),
  };
  return Object.keys(kept).length === Object.keys(claim).length ? claim : kept;
}
