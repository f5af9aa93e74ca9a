import type { NodeDisruption } from '../../api/nodes/node-disruption.ts';
import type { PlannedPool } from '../../api/nodes/node-plan.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';
import { type Labels, matchesSelector } from '../kernel/selector.ts';
import type { DisruptionReason } from '../node-pools/budgets.ts';
import type { World } from '../world.ts';
import { fleetBudgetChange } from './fleet-limits.ts';
import { limitsAt } from './nodes-outcome.ts';
import type { PlannedMember } from './reused-plan.ts';

type Written = NonNullable<NodeDisruption['budgets']>[number];

/** A budget of `FleetConfig.spec.nodeDisruption` that limits a cluster. */
export interface FleetBudget extends Omit<Written, 'clusterSelector'> {
  /** Its place in the list. */
  readonly index: number;
  /** How many more nodes of the cluster it lets go; its own number may be greater. Absent: it is not active. */
  readonly allows?: number;
  /** When time alone makes it active or inactive. */
  readonly changesAt?: string;
}

/**
 * The budgets of the fleet that limit a cluster, with what they allow at an instant, before the commands that begin then. None where
 * gitfleet does not act, or where its nodes were not observed.
 */
export function fleetBudgets(
  { planned, world }: { readonly planned: readonly PlannedMember[]; readonly world: World },
  at: Instant,
): (cluster: string) => readonly FleetBudget[] {
  const { budgets = [] } = world.input.fleet.config?.spec.nodeDisruption ?? {};
  const acting = planned.filter(({ member, plan }) => plan !== undefined && member.mode === 'execute');
  const labels = new Map<string, Labels>(acting.map(({ member: { name } }) => [name, world.members.get(name)!.labels]));
  const changes = budgets.map((budget) => fleetBudgetChange(budget, at));
  const limits = budgets.length === 0 ? undefined : limitsAt(planned, world, at);
  return (cluster) => {
    const own = labels.get(cluster);
    if (own === undefined || limits === undefined) return [];
    const allowed = new Map(limits.allowances(cluster).map((one) => [one.at, one.nodes]));
    return budgets.flatMap(({ clusterSelector, ...written }, index): FleetBudget[] => {
      if (clusterSelector !== undefined && !matchesSelector(clusterSelector, own)) return [];
      const [allows, change] = [allowed.get(index), changes[index]];
      return [
        {
          index,
          ...written,
          ...(allows === undefined ? {} : { allows }),
          ...(change === undefined ? {} : { changesAt: formatInstant(change) }),
        },
      ];
    });
  };
}

/** The budget of the fleet that lets fewer nodes of a pool go for a reason than its own budgets do; the first of the least. */
export function bindingBudget(
  reason: DisruptionReason,
  { nodes, allowed }: Pick<PlannedPool, 'nodes' | 'allowed'>,
  budgets: readonly FleetBudget[],
): FleetBudget | undefined {
  const own = budgets.filter(({ reasons, allows }) => allows !== undefined && (reasons?.includes(reason) ?? true));
  const least = Math.min(...own.map(({ allows }) => allows!));
  return least < Math.min(nodes, allowed[reason] ?? nodes) ? own.find(({ allows }) => allows === least) : undefined;
}
