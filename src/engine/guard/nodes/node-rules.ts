import type { Manifest } from '../../../api/meta.ts';
import type { NodeCommand } from '../../../api/nodes/node-plan.ts';
import type { GuardFinding, PlannedNodes } from '../../plan-document.ts';
import type { Evidence, RuleSet } from '../evidence/evidence.ts';

/** Nodes go within budgets, where nothing protects them, with a place for each pod, and consolidation saves something. */
export const nodeRules: RuleSet = (evidence: Evidence) =>
  evidence.plan.nodes.flatMap((planned) => {
    const seen = evidence.observations?.get(planned.clusterName);
    const before = new Set(
      (evidence.record.nodes.get(planned.clusterName)?.commands ?? []).flatMap(({ id, phase }) =>
        phase === 'Proposed' ? [] : [id],
      ),
    );
    const fresh = planned.commands.filter(({ id }) => !before.has(id));
    const nodes = new Map((seen?.nodes ?? []).map((node) => [node.metadata.name, node]));
    return [
      ...overBudget(planned, fresh, nodes),
      ...fresh.flatMap((command) => [
        ...notOurs(command, nodes, seen?.extras ?? []),
        ...protectedNodes(command, nodes, seen?.pods ?? []),
        ...withoutPlace(command, planned, nodes),
        ...withoutSaving(command),
      ]),
    ].map((finding) => ({ ...finding, message: `${planned.clusterName}: ${finding.message}` }));
  });

/** Expiry since Karpenter v1 asks nobody. */
const isForced = ({ reason, replacements, pods = [] }: NodeCommand): boolean =>
  reason === 'Expired' && replacements.length === 0 && pods.every(({ to }) => to === undefined);

function overBudget(
  { pools }: PlannedNodes,
  commands: readonly NodeCommand[],
  nodes: ReadonlyMap<string, Manifest>,
): GuardFinding[] {
  return pools.flatMap(({ name, allowed }): GuardFinding[] => {
    let going = 0;
    for (const command of commands) {
      const own = command.nodes.filter(({ pool, name: node }) => pool === name && isReady(nodes.get(node)));
      if (own.length === 0) continue;
      going += own.length;
      const most = allowed[command.reason];
      if (!isForced(command) && most !== undefined && going > most)
        return [
          {
            rule: 'NodeBudgetExceeded',
            message: `${going} nodes of NodePool ${name} would go with command ${command.id} (${command.reason}), and its budgets allow ${most}`,
          },
        ];
    }
    return [];
  });
}

interface Condition {
  readonly type?: unknown;
  readonly status?: unknown;
}

const isReady = (node: Manifest | undefined): boolean =>
  ((node?.['status'] as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

function notOurs(
  { id, nodes: own }: NodeCommand,
  nodes: ReadonlyMap<string, Manifest>,
  extras: readonly Manifest[],
): GuardFinding[] {
  const claimed = new Set(
    extras.flatMap(({ kind, ...claim }) =>
      kind === 'NodeClaim' ? [(claim['status'] as { readonly nodeName?: string } | undefined)?.nodeName] : [],
    ),
  );
  return own.flatMap(({ name }): GuardFinding[] => {
    const labels = nodes.get(name)?.metadata.labels ?? {};
    const isOurs =
      claimed.size > 0
        ? claimed.has(name)
        : ['karpenter.sh/nodepool', 'gitfleet.dev/nodepool'].some((label) => label in labels);
    return nodes.has(name) && isOurs
      ? []
      : [{ rule: 'NotOurNode', message: `command ${id} takes node ${name}, which is not of a pool` }];
  });
}

const annotation = 'karpenter.sh/do-not-disrupt';

function protectedNodes(
  command: NodeCommand,
  nodes: ReadonlyMap<string, Manifest>,
  pods: readonly Manifest[],
): GuardFinding[] {
  if (isForced(command)) return [];
  const isGraceful = command.reason === 'Empty' || command.reason === 'Underutilized';
  return command.nodes.flatMap(({ name }): GuardFinding[] => {
    const isHeld = nodes.get(name)?.metadata.annotations?.[annotation] === 'true';
    const holder = isGraceful
      ? pods.find((pod) => isOn(pod, name) && pod.metadata.annotations?.[annotation] === 'true')
      : undefined;
    if (!isHeld && holder === undefined) return [];
    const what = isHeld ? 'the node' : `pod ${holder!.metadata.namespace}/${holder!.metadata.name}`;
    return [
      {
        rule: 'BlockedNodeDisrupted',
        message: `command ${command.id} takes node ${name}, but ${what} has ${annotation}`,
      },
    ];
  });
}

function isOn({ metadata, ...pod }: Manifest, node: string): boolean {
  const { nodeName } = (pod['spec'] ?? {}) as { readonly nodeName?: string };
  const { phase } = (pod['status'] ?? {}) as { readonly phase?: string };
  return nodeName === node && metadata.deletionTimestamp == null && phase !== 'Succeeded' && phase !== 'Failed';
}

function withoutPlace(
  { id, reason, pods = [], replacements }: NodeCommand,
  { commands }: PlannedNodes,
  nodes: ReadonlyMap<string, Manifest>,
): GuardFinding[] {
  if (reason !== 'Underutilized') return [];
  const leaving = new Set(
    commands.flatMap((command) => (isForced(command) ? [] : command.nodes.map(({ name }) => name))),
  );
  const launched = new Set(replacements.map(({ name }) => name));
  return pods
    .filter(({ to }) => to === undefined || !(launched.has(to) || (nodes.has(to) && !leaving.has(to))))
    .slice(0, 1)
    .map(({ namespace, name, to }) => ({
      rule: 'PodHasNoPlace' as const,
      message: `command ${id} moves pod ${namespace}/${name} to ${to ?? 'nowhere'}`,
    }));
}

function withoutSaving({ id, reason, replacements, priceBefore, priceAfter }: NodeCommand): GuardFinding[] {
  if (reason !== 'Underutilized' || replacements.length === 0) return [];
  return priceBefore !== undefined && priceAfter < priceBefore
    ? []
    : [
        {
          rule: 'NoSaving',
          message: `command ${id} replaces nodes at ${priceBefore ?? 'an unknown price'} by nodes at ${priceAfter}`,
        },
      ];
}
