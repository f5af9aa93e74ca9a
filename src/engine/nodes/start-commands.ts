import type { ClusterName } from '../../api/meta.ts';
import type { DisruptionMode } from '../../api/nodes/disruption-modes.ts';
import type { NodeCommand } from '../../api/nodes/node-plan.ts';
import { formatInstant, type Instant } from '../kernel/instant.ts';
import type { Pool } from '../node-pools/pool.ts';
import { heldByPause } from '../pause/pause.ts';
import { upgradingHold } from '../pause/upgrading-hold.ts';
import type { Hold } from '../plan-document.ts';
import type { World } from '../world.ts';
import type { FleetLimits } from './fleet-limits.ts';
import type { ClusterPlan } from './plan-cluster.ts';

export interface FleetContext {
  readonly world: World;
  readonly limits: FleetLimits;
}

/** The member of a command. */
interface Disrupted {
  readonly name: ClusterName;
  readonly mode: DisruptionMode;
  readonly pools: ReadonlyMap<string, Pool>;
  /** Its nodes can be launched. */
  readonly launches: boolean;
}

/** Expiry as since Karpenter v1: nothing stops it. */
export const isForced = ({ reason, nodes }: NodeCommand, pools: Disrupted['pools']): boolean =>
  reason === 'Expired' && pools.get(nodes[0]!.pool)?.profile !== 'karpenter-v1beta1';

/** The command in its first phase, or as it was where something keeps it. */
export function started(
  command: NodeCommand,
  member: Disrupted,
  { now, holds, ...context }: FleetContext & { readonly now: Instant; readonly holds: Hold[] },
): NodeCommand {
  if (member.mode !== 'execute') return command;
  const at = formatInstant(now);
  const inPhase = (phase: NodeCommand['phase']): NodeCommand => ({ ...command, phase, since: at, startedAt: at });
  if (isForced(command, member.pools)) return inPhase('Removing');
  const hold = holdOfStart(command, member, context);
  if (hold !== undefined) {
    holds.push(hold);
    return command;
  }
  if (command.reason === 'Empty' || command.reason === 'Underutilized') return inPhase('Validating');
  return inPhase(command.replacements.length > 0 ? 'Launching' : 'Removing');
}

/** The commands, each begun only where all before it begin. */
export function startedInTurn(
  commands: readonly NodeCommand[],
  member: Disrupted,
  context: FleetContext & { readonly now: Instant; readonly holds: Hold[] },
): readonly NodeCommand[] {
  let isHeld = false;
  return commands.map((command) => {
    const next = started(command, member, context);
    const begins = next !== command;
    if (begins && isHeld) context.limits.withdraw(member.name, command);
    isHeld ||= !begins;
    return isHeld ? command : next;
  });
}

/** The plan without those of its commands whose validation ends now that something keeps by now: they end, and may be found again. */
export function withoutKept(member: Disrupted, plan: ClusterPlan, context: FleetContext): ClusterPlan {
  const kept: string[] = [];
  for (let rest = plan; ; rest = plan.within({ kept })) {
    const held = rest.due.filter((command) => holdOfStart(command, member, context) !== undefined);
    if (held.length === 0) return rest;
    for (const command of rest.due) if (!held.includes(command)) context.limits.withdraw(member.name, command);
    kept.push(...held.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  }
}

/** What keeps a command from its start; undefined = it starts, and is counted from now on. */
export function holdOfStart(
  command: NodeCommand,
  { name, launches }: Disrupted,
  { world, limits }: FleetContext,
): Hold | undefined {
  const nodes = command.nodes.map((node) => node.name).join(', ');
  const what = `${command.method} of ${nodes} starts`;
  const member = { kind: 'MemberCluster', name };
  const run = world.upgrading.get(name);
  if (run !== undefined) return { subject: member, ...upgradingHold(what, run) };
  if (world.pause.kind === 'paused') return { subject: member, ...heldByPause(what, world.pause) };
  if (command.replacements.length > 0 && !launches) {
    const { launchesNotRead } = world.nodesOf(name) ?? {};
    const cause = launchesNotRead === undefined ? '' : ` (launches not read: ${launchesNotRead})`;
    return {
      subject: { kind: 'NodePool', name: command.nodes[0]!.pool, clusterName: name },
      reason: 'NoLauncher',
      message: `${what} once a provider can launch ${command.replacements.map((one) => one.instanceType).join(', ')} on ${name}${cause}`,
    };
  }
  const verdict = limits.admit(name, command);
  return verdict && { subject: member, ...verdict };
}
