import { nodeCommand } from '../../api/nodes/node-plan.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { savingOf } from '../../report/nodes.ts';
import { count } from './count.ts';
import type { Metrics } from './metrics.ts';

const { phase: phases, reason: reasons } = nodeCommand.shape;

/** Sets the gauges of node disruption: what is planned for the nodes of all members. */
export function reportNodes({ nodes }: Plan, metrics: Metrics): void {
  const pools = nodes.flatMap((planned) => planned.pools);
  const commands = nodes.flatMap((planned) => planned.commands);
  const sum = (of: 'nodes' | 'disrupting'): number => pools.reduce((total, pool) => total + pool[of], 0);
  const leaving = commands.flatMap(({ reason, nodes: own }) => own.map(() => reason));
  const blocked = nodes.flatMap((planned) => planned.blocked.map(({ reason }) => reason));
  metrics.set('gitfleet_nodes', sum('nodes'));
  metrics.set('gitfleet_nodes_disrupting', sum('disrupting'));
  metrics.setEach('gitfleet_nodes_leaving', 'reason', count(leaving, reasons.options));
  metrics.setEach('gitfleet_nodes_blocked', 'reason', count(blocked));
  metrics.setEach(
    'gitfleet_node_commands',
    'phase',
    count(
      commands.map(({ phase }) => phase),
      phases.options,
    ),
  );
  metrics.set('gitfleet_node_savings_per_hour', savingOf({ commands }));
}
