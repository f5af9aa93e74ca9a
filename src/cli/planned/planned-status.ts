import type { ClusterName } from '../../api/meta.ts';
import type { NodePlan } from '../../api/nodes/node-plan.ts';
import { nodeObjects } from '../../engine/delivery/node-pools.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { fleetBudgets } from '../../engine/nodes/fleet-budgets.ts';
import { nodeMembers } from '../../engine/nodes/node-members.ts';
import { planOf } from '../../engine/nodes/nodes-outcome.ts';
import { planFleet } from '../../engine/plan.ts';
import type { Listing } from '../kinds/listing.ts';
import { type PlanOptions, readPlanInput } from '../plan/input.ts';
import {
  type NodesInPlan,
  type Status,
  type StatusOptions,
  type StatusReader,
  withStatus,
} from '../status/open-status.ts';
import { CliError } from '../terminal/exit.ts';

/** Options that need a plan made now, in place of the status branch. */
export type MaybePlanOptions = Partial<Pick<PlanOptions, 'ref' | 'observed' | 'recorded' | 'now'>>;

/** Where it is of a plan no status branch is read. */
export async function withStatusOrPlan<T>(
  options: StatusOptions & MaybePlanOptions,
  use: (reader: StatusReader) => Promise<T>,
): Promise<T> {
  if (!asksForPlan(options)) return withStatus(options, use);
  const status = await plannedStatus(options);
  return use({
    get branches(): never {
      throw new CliError(`${planFlags} make a plan, which has no status branch`);
    },
    folder: options.path ?? '',
    statusBranch: options.statusBranch,
    ref: '',
    tip: async () => status.tip,
    read: async () => status,
    close: async () => {},
  });
}

const planFlags = '--ref, --observed, --recorded and --now';

/** Error: CliError where the status branch alone has what is asked for. */
export function refuseOfPlan(kinds: readonly Listing[], { watch }: { readonly watch?: boolean }): void {
  const other = kinds.find(({ isOfClusters }) => !isOfClusters);
  if (other !== undefined)
    throw new CliError(`${planFlags} are for nodes and nodepools: ${other.names[0]} are read from the status branch`);
  if (watch) throw new CliError(`-w follows the status branch: leave out ${planFlags}`);
}

export const asksForPlan = ({ ref, observed, recorded, now }: MaybePlanOptions): boolean =>
  [ref, observed, recorded, now].some((given) => given !== undefined);

/**
 * What the status branch would say of nodes after the plan that `gitfleet plan` makes from the same files, and what only the plan knows.
 */
async function plannedStatus(options: PlanOptions): Promise<Status> {
  const input = await readPlanInput(options);
  const { plan, contents, parts, nodes: planned, notRolledOut } = planFleet(input);
  const now = parseInstant(input.now)!;
  const fleetBudgetsOf = fleetBudgets({ planned, world: contents.world }, now);
  const known = new Map(
    nodeMembers(contents.world, nodeObjects(parts.outcomes, contents.world)).map((member): [string, NodesInPlan] => [
      member.name,
      {
        pools: member.pools,
        live: [...(member.observation?.objects ?? []), ...(member.observation?.extras ?? [])].filter(({ kind }) =>
          ['NodePool', 'NodeClaim', 'Event'].includes(kind),
        ),
        plan: planOf(member, contents.world, now),
        fleetBudgets: fleetBudgetsOf(member.name),
      },
    ]),
  );
  const nodes = plan.nodes.map(({ clusterName, mode, pools, commands, blocked }): [ClusterName, NodePlan] => {
    const recorded = input.record.nodes.get(clusterName);
    const own = known.get(clusterName)?.plan;
    return [
      clusterName,
      {
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'NodePlan',
        metadata: { name: clusterName },
        mode,
        pools: [...pools],
        commands: [...commands],
        blocked: [...blocked],
        claims: [...(own?.claims ?? recorded?.claims ?? [])],
        failures: [...(own?.evolved.failures ?? recorded?.failures ?? [])],
      },
    ];
  });
  return {
    tip: '',
    now,
    record: {
      ...input.record,
      nodes: new Map(nodes),
      clusters: new Map(input.fleet.members.map((member) => [member.metadata.name, member])),
    },
    branch: undefined,
    unreachable: new Map(),
    removals: [],
    inPlace: false,
    holds: plan.holds.map((hold) => ({ ...hold, subject: { ...hold.subject } })),
    reported: plan.problems,
    notInEffect: { refusals: [], notValid: [], notRead: [], errors: [] },
    notRolledOut,
    files: new Map(),
    nodes: known,
  };
}
