import type { NodeCommand, NodePlan } from '../api/nodes/node-plan.ts';
import { parseInstant } from '../engine/kernel/instant.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import { instantText } from './forecast/instant-text.ts';
import type { ObjectEvent } from './object-event.ts';

/** What became of the commands of a cluster: some enter a phase, and of others all nodes are gone. */
export function commandChanges(
  before: readonly NodeCommand[],
  after: readonly NodeCommand[],
): { readonly entered: readonly (NodeCommand & { readonly isNew: boolean })[]; readonly done: readonly NodeCommand[] } {
  const known = new Map(before.map(({ id, phase }) => [id, phase]));
  const present = new Set(after.map(({ id }) => id));
  return {
    entered: after.flatMap((command) =>
      command.phase === 'Proposed' || known.get(command.id) === command.phase
        ? []
        : [{ ...command, isNew: !known.has(command.id) }],
    ),
    done: before.filter(({ id, phase }) => phase === 'Removing' && !present.has(id)),
  };
}

export const nodeNames = ({ nodes }: Pick<NodeCommand, 'nodes'>): string => shortList(nodes.map(({ name }) => name));

export const phaseWords = {
  Proposed: 'propose to remove',
  Validating: 'check before removing',
  Launching: 'launch replacements for',
  Removing: 'remove',
} as const;

/** Event reasons of the phases that nodes are touched in, or are about to be. */
const reasons = { Validating: 'NodesChecked', Launching: 'NodesReplaced', Removing: 'NodesDraining' } as const;

/** Events between two versions of a cluster's node plan. */
export function nodeHappened(before: NodePlan | undefined, after: NodePlan, committedAt: number): ObjectEvent[] {
  const { entered, done } = commandChanges(before?.commands ?? [], after.commands);
  const known = new Set(before?.failures.map(({ nodes, at }) => `${at} ${nodes}`));
  return [
    ...entered.flatMap(({ phase, reason, since, nodes }): ObjectEvent[] =>
      phase === 'Proposed'
        ? []
        : [
            {
              type: 'Normal',
              reason: reasons[phase],
              message: `${phaseWords[phase]} ${nodeNames({ nodes })} (${reason})`,
              at: parseInstant(since ?? '') ?? committedAt,
            },
          ],
    ),
    ...after.failures.flatMap(({ nodes, at, until, cause }): ObjectEvent[] =>
      known.has(`${at} ${nodes}`)
        ? []
        : [
            {
              type: 'Warning',
              reason: 'CommandRolledBack',
              message: `${shortList(nodes)}: ${cause}; retried from ${instantText(until)}`,
              at: parseInstant(at) ?? committedAt,
            },
          ],
    ),
    ...done.map(
      (command): ObjectEvent => ({
        type: 'Normal',
        reason: 'NodesRemoved',
        message: `${nodeNames(command)} removed (${command.reason})`,
        at: committedAt,
      }),
    ),
  ];
}
