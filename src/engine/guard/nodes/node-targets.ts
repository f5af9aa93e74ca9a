import type { GuardFinding, NodesTarget, PlannedNodes } from '../../plan-document.ts';
import { nodesTargets } from '../../target-kinds.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { annotationsOfMember } from '../evidence/members.ts';
import type { NodeChange } from './node-changes.ts';

/** An actor taints, removes and launches exactly nodes of commands in that phase, on members whose file says `execute`. */
export function targetsWithoutCommand(changes: readonly NodeChange[], evidence: Evidence): GuardFinding[] {
  const planned = new Map(changes.map(({ planned }) => [planned.clusterName, planned]));
  return nodesTargets(evidence.plan.targets).flatMap(({ clusterName, nodes }): GuardFinding[] => {
    if (nodes.nodes.length + nodes.launches.length === 0) return [];
    const isAllowed = annotationsOfMember(clusterName, evidence)['gitfleet.dev/node-disruption'] === 'execute';
    const wrong = isAllowed ? unasked(nodes, planned.get(clusterName)) : undefined;
    const message = isAllowed
      ? wrong && `${clusterName}: no command that is under way has ${wrong}`
      : `${clusterName} is not in mode execute, and its nodes would be changed`;
    return message === undefined ? [] : [{ rule: 'NodeWithoutCommand', message }];
  });
}

/** The first node that no command takes in this way, or that none launches. */
function unasked({ nodes, launches }: NodesTarget['nodes'], planned: PlannedNodes | undefined): string | undefined {
  const command = (id: string, phase: string) => planned?.commands.find((one) => one.id === id && one.phase === phase);
  const taken = nodes.find(
    ({ name, want, command: id }) =>
      !command(id, want === 'Tainted' ? 'Launching' : 'Removing')?.nodes.some((node) => node.name === name),
  );
  const launched = launches.find(
    ({ name, command: id }) => !command(id, 'Launching')?.replacements.some((one) => one.name === name),
  );
  return taken ? `node ${taken.name} as ${taken.want}` : launched && `replacement ${launched.name}`;
}
