import type { ClusterName } from '../../../api/meta.ts';
import type { NodePlan } from '../../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import type { Problem } from '../../../api/problem.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { canonicalJson } from '../../../engine/kernel/canonical-json.ts';
import { type Instant, parseInstant } from '../../../engine/kernel/instant.ts';
import { mismatch } from './mismatch.ts';
import { shownNodePlan } from './shown-nodes.ts';
import type { Verified } from './verified.ts';

/**
 * What the record claims about nodes. Those who can push to the status branch must not remove nodes: what this daemon published counts
 * as it published it. At a start a command that has begun counts where its nodes show it; else it is decided again.
 */
export interface NodeVerifier {
  /** The record without commands that nodes do not show, and without claims that would end nodes by force. */
  withoutUnproven(
    record: FleetRecord,
    of: {
      readonly observations: ReadonlyMap<ClusterName, ClusterObservation>;
      readonly now: Instant;
      /** False = a plan of this daemon that waits for its push. */
      readonly isPublished: boolean;
    },
  ): Verified;
  /** This daemon published the record, on top of a verified one. */
  published(record: FleetRecord): void;
}

export function nodeVerifier(): NodeVerifier {
  /** As this daemon published them. */
  const own = new Map<ClusterName, NodePlan>();
  /** Members whose plans were verified: of others nothing is trusted. */
  let verified: ReadonlySet<ClusterName> = new Set();

  return {
    withoutUnproven(record, { observations, now, isPublished }) {
      const seen = new Map([...observations].filter(([, { nodes }]) => nodes !== undefined));
      verified = new Set(seen.keys());
      const nodes = new Map(record.nodes);
      const problems: Problem[] = [];
      const change = (cluster: ClusterName, plan: NodePlan, faults: readonly string[]): void => {
        nodes.set(cluster, plan);
        problems.push(...faults.map((fault) => mismatch(`nodes/${cluster}.yaml`, fault)));
      };
      for (const [cluster, plan] of record.nodes) {
        const observation = seen.get(cluster);
        if (own.has(cluster) || observation === undefined) continue;
        const shown = shownNodePlan(plan, { cluster, observation, now });
        if (shown.plan !== plan) change(cluster, shown.plan, shown.faults);
      }
      if (isPublished)
        for (const [cluster, plan] of own)
          if (!isSame(record.nodes.get(cluster), plan) && !isTakenOver(record.nodes.get(cluster), plan, now))
            change(cluster, plan, [notAsPublished]);
      const isChanged = [...nodes].some(([cluster, plan]) => plan !== record.nodes.get(cluster));
      return { record: isChanged ? { ...record, nodes } : record, problems };
    },
    published({ nodes }) {
      for (const cluster of own.keys()) if (!nodes.has(cluster)) own.delete(cluster);
      for (const [cluster, plan] of nodes) if (verified.has(cluster)) own.set(cluster, plan);
    },
  };
}

const notAsPublished = 'it is not what this daemon published, which counts';

/**
 * Another daemon took the commands over: to it each began its phase when it first saw that, which is later and never in the future. Both
 * would publish their own instants for ever.
 */
function isTakenOver(claimed: NodePlan | undefined, plan: NodePlan, now: Instant): boolean {
  if (claimed?.commands.length !== plan.commands.length) return false;
  const commands = plan.commands.map((command, at) => {
    const since = claimed.commands[at]!.since ?? '';
    const [own, other] = [parseInstant(command.since ?? ''), parseInstant(since)];
    return own !== undefined && other !== undefined && own <= other && other <= now ? { ...command, since } : command;
  });
  return isSame(claimed, { ...plan, commands });
}

const isSame = (claimed: NodePlan | undefined, plan: NodePlan): boolean =>
  claimed === plan || (claimed !== undefined && canonicalJson(claimed) === canonicalJson(plan));
