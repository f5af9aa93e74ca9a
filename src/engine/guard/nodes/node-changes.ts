import type { NodeCommand } from '../../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { parseInstant } from '../../kernel/instant.ts';
import type { PlannedNodes } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { expiresByForce, type Seen, seenNodes } from './seen-nodes.ts';
import { type WrittenPools, writtenPools } from './written-pools.ts';

/** The commands of a cluster, as they are planned and as they were recorded. */
export interface NodeChange {
  readonly planned: PlannedNodes;
  readonly observation: ClusterObservation | undefined;
  /** Commands that are new, also those that are only proposed. */
  readonly fresh: readonly NodeCommand[];
  /** Commands under way that touch their nodes from now on, or begin to drain them. */
  readonly onward: readonly NodeCommand[];
  /** Commands that this plan lets start, or go beyond their validation. */
  readonly started: readonly NodeCommand[];
  /** Commands that were under way before, in their phase of now. */
  readonly standing: readonly NodeCommand[];
  /** Of these the ones that began after a command, as they are recorded: budgets were left to it first. */
  readonly begunAfter: (command: NodeCommand) => readonly NodeCommand[];
  /** When a command began, as it is recorded; Infinity = it does now. */
  readonly begunAt: (command: NodeCommand) => number;
  /** Its nodes and pools, read when a rule needs them. */
  readonly known: () => Seen;
}

export function nodeChanges(evidence: Evidence): readonly NodeChange[] {
  const { plan, record, input } = evidence;
  const seen = input.nodeObservations ?? evidence.observations;
  let pools: WrittenPools | undefined;
  return plan.nodes.map((planned): NodeChange => {
    const { clusterName, commands } = planned;
    const observation = seen?.get(clusterName);
    const recorded = record.nodes.get(clusterName);
    const before = new Map(
      (recorded?.commands ?? []).flatMap((command) => (command.phase === 'Proposed' ? [] : [[command.id, command]])),
    );
    const validating = [...before.values()].filter(({ phase }) => phase === 'Validating');
    // Of empty nodes only some may go: that makes another id of the same command.
    const wasOf = ({ id, method, nodes }: NodeCommand): NodeCommand | undefined =>
      before.get(id) ??
      validating.find(
        (one) =>
          one.method === 'Emptiness' &&
          method === 'Emptiness' &&
          nodes.every(({ name }) => one.nodes.some((own) => own.name === name)),
      );
    const underWay = commands.filter(({ phase }) => phase !== 'Proposed');
    // One that was dropped and begins again has the same id.
    const isNew = (command: NodeCommand): boolean => {
      const was = wasOf(command);
      return was === undefined || (was.phase === command.phase && was.since !== command.since);
    };
    const hasStarted = (command: NodeCommand): boolean =>
      isNew(command) || (wasOf(command)?.phase === 'Validating' && command.phase !== 'Validating');
    const standing = underWay.filter((command) => !hasStarted(command));
    const order = [...before.keys()];
    let known: Seen | undefined;
    return {
      planned,
      observation,
      // One that is Proposed again is new, whatever it was.
      fresh: commands.filter((command) => command.phase === 'Proposed' || isNew(command)),
      onward: underWay.filter((command) => (wasOf(command)?.phase ?? command.phase) !== command.phase),
      started: underWay.filter(hasStarted),
      standing,
      begunAfter(command) {
        const was = wasOf(command);
        return was === undefined ? [] : standing.filter(({ id }) => order.indexOf(id) > order.indexOf(was.id));
      },
      begunAt: (command) => parseInstant(wasOf(command)?.startedAt ?? '') ?? Number.POSITIVE_INFINITY,
      known() {
        pools ??= writtenPools(evidence);
        known ??= seenNodes(clusterName, observation, {
          written: pools,
          recorded: recorded?.claims ?? [],
          underWay: [...before.values()].flatMap(({ nodes }) => nodes),
        });
        return known;
      },
    };
  });
}

/** Expiry since Karpenter v1 ignores budgets. */
export const isForced = ({ reason, nodes }: NodeCommand, { pools }: Seen): boolean =>
  reason === 'Expired' && expiresByForce(pools.get(nodes[0]!.pool));

/** The commands that this plan lets start and that something may hold. */
export const heldableStarts = ({ started, known }: NodeChange): readonly NodeCommand[] =>
  started.filter((command) => !isForced(command, known()));
