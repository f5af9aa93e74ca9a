import type { ClusterName, Manifest } from '../../api/meta.ts';
import { type DisruptionMode, nodeDisruptionAnnotation } from '../../api/nodes/disruption-modes.ts';
import type { NodeCommand, NodePlan, PlannedPool } from '../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { Problem } from '../../api/problem.ts';
import type { SectionOutcome } from '../domain.ts';
import { sourceKey } from '../input.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { by } from '../kernel/ordering.ts';
import { shortList } from '../kernel/short-list.ts';
import { poolLints } from '../node-pools/lints.ts';
import { type Pool, readPool } from '../node-pools/pool.ts';
import type { Hold, NodeTarget, PlannedNodes } from '../plan-document.ts';
import { sourceOf } from '../problem-of.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import { inFleet, type World } from '../world.ts';
import { actingMode, actingProblem } from './acting-mode.ts';
import { type Begun, begunAfterValidation, type FleetContext, isForced, started } from './begin.ts';
import { isDisrupting } from './cluster/pool-counts.ts';
import { type CountedCluster, fleetLimits } from './fleet-limits.ts';
import { type Market, marketOf } from './launch/market.ts';
import { type ClusterPlan, planCluster, poolEntry } from './plan-cluster.ts';
import { targetOf } from './target.ts';

/** A member with pools, or with the annotation. */
export interface NodeMember {
  readonly name: ClusterName;
  readonly mode: DisruptionMode;
  readonly annotations: Readonly<Record<string, string>>;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly market: Market;
  readonly record: NodePlan | undefined;
  /** Undefined = its nodes are not known. */
  readonly observation: ClusterObservation | undefined;
  readonly launches: boolean;
}

/** `delivered`: objects of karpenter groups by cluster, as files and overrides write them; `invalid`: NodePools of invalid files. */
export interface DeliveredNodeObjects {
  readonly delivered: ReadonlyMap<ClusterName, readonly Manifest[]>;
  readonly invalid: ReadonlyMap<ClusterName, readonly Manifest[]>;
}

/** Plans what becomes of the nodes of every member: computed alike in all modes, begun only in mode execute. */
export function nodesOutcome(world: World, objects: DeliveredNodeObjects): SectionOutcome<'nodes'> {
  const now = parseInstant(world.input.now)!;
  const members = nodeMembers(world, objects);
  const planned = members.map((member) => ({ member, plan: planOf(member, world, now) }));
  const limits = fleetLimits(
    world.input.fleet.config?.spec.nodeDisruption ?? {},
    planned.map(({ member, plan }) => counted(member, plan, world)),
    now,
  );
  const order = new Map(limits.order.map((name, at) => [name, at]));
  const ordered = [...planned].sort((a, b) => order.get(a.member.name)! - order.get(b.member.name)!);
  // Those that were validated had a place before.
  const due = new Map(
    ordered.map(({ member, plan }) => [member.name, begunAfterValidation(member, plan?.due ?? [], { world, limits })]),
  );
  const done = ordered
    .map(({ member, plan }) => finished(member, plan, { world, limits, now, due: due.get(member.name)! }))
    .sort(by(({ section }) => section.clusterName));
  const section = done.map((of) => of.section);
  const targets = done.map(({ section: { clusterName }, target }) => ({ clusterName, nodes: target }));
  return {
    holds: done.flatMap(({ holds }) => holds),
    wakes: done.flatMap(({ wakes }) => wakes.map(formatInstant)),
    problems: problemsOf(members, world, now),
    documents: directoryOf(
      'nodes',
      done.flatMap(({ section, document }) =>
        document ? [{ name: section.clusterName, document: objectDocument(document) }] : [],
      ),
      world.input.digest,
    ),
    approvals: [],
    targets: [targets],
    section,
    digested: [...section, ...targets],
    // A command that enters a phase.
    starts: section.some(({ commands }) => commands.some(({ since }) => since === world.input.now)),
  };
}

export function nodeMembers(world: World, { delivered, invalid }: DeliveredNodeObjects): readonly NodeMember[] {
  const { admitted, input, record } = world;
  return admitted.members
    .filter(({ metadata }) => inFleet(metadata.name, world))
    .flatMap(({ metadata: { name, annotations = {} } }): NodeMember[] => {
      const observation = world.observationOf(name);
      const pools = poolsOf(delivered.get(name) ?? [], invalid.get(name) ?? [], observation);
      const written = annotations[nodeDisruptionAnnotation];
      if (pools.size === 0 && written === undefined) return [];
      const isKnown =
        observation?.reachable === true &&
        observation.complete &&
        observation.nodes !== undefined &&
        observation.pods !== undefined;
      const { market } = marketOf(
        world.members.get(name)!.labels,
        input.fleet.priceLists,
        input.fleet.instanceCatalogs,
      );
      return [
        {
          name,
          mode: actingMode({ name, annotations }, observation),
          annotations,
          pools,
          market,
          record: record.nodes.get(name),
          observation: isKnown ? observation : undefined,
          launches: observation?.launches !== undefined,
        },
      ];
    })
    .sort(by(({ name }) => name));
}

/** Those that this plan delivers, else those that the cluster shows. */
function poolsOf(
  delivered: readonly Manifest[],
  invalid: readonly Manifest[],
  observation: ClusterObservation | undefined,
): ReadonlyMap<string, Pool> {
  const isPool = ({ kind, apiVersion }: Manifest) => kind === 'NodePool' && apiVersion.startsWith('karpenter.sh/');
  const live = new Map(
    [...(observation?.objects ?? []), ...(observation?.extras ?? [])]
      .filter(isPool)
      .map((manifest) => [manifest.metadata.name, manifest]),
  );
  const own = delivered.filter(isPool);
  const chosen = new Map([
    ...(own.length > 0 ? own : [...live.values()]).map((manifest) => [manifest.metadata.name, manifest] as const),
  ]);
  for (const manifest of invalid) if (!chosen.has(manifest.metadata.name)) chosen.set(manifest.metadata.name, manifest);
  return new Map(
    [...chosen]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, manifest]) => [name, readPool(manifest, live.get(name))]),
  );
}

/** Undefined where its nodes are not known. */
export function planOf(member: NodeMember, world: World, now: Instant): ClusterPlan | undefined {
  const { name: clusterName, mode, observation, pools, market, record } = member;
  if (observation === undefined) return undefined;
  const gates = world.input.fleet.config?.spec.nodeDisruption?.featureGates ?? { SpotToSpotConsolidation: false };
  return planCluster({ clusterName, mode, observation, pools, market, record, gates, now, digest: world.input.digest });
}

function counted(
  { name, mode, pools, record }: NodeMember,
  plan: ClusterPlan | undefined,
  world: World,
): CountedCluster {
  const labels = world.members.get(name)!.labels;
  if (plan === undefined) {
    const underWay = (record?.commands ?? []).filter(({ phase }) => phase !== 'Proposed').flatMap(({ nodes }) => nodes);
    // How many nodes it has only the record says, which does not widen limits.
    return { name, labels, nodes: 0, disrupting: underWay.length, driftedNodes: 0, isObserved: false };
  }
  const own = plan.cluster.nodes.filter(({ claim }) => claim !== undefined);
  // Forced ones begin in any case, so that they use up places before all others.
  const forced = mode === 'execute' ? plan.proposed.filter((command) => isForced(command, pools)) : [];
  const busy = new Set([...plan.underWay, ...forced].flatMap(({ nodes }) => nodes.map(({ name: node }) => node)));
  const going = own.filter((node) => busy.has(node.name) || (isDisrupting(node) && (node.isDeleting || node.isMarked)));
  return {
    name,
    labels,
    nodes: plan.poolsWith(new Set()).reduce((sum, pool) => sum + pool.nodes, 0),
    disrupting: going.length,
    driftedNodes: plan.driftedNodes,
    isObserved: true,
  };
}

interface Finished {
  readonly section: PlannedNodes;
  readonly target: NodeTarget;
  readonly holds: readonly Hold[];
  readonly wakes: readonly Instant[];
  readonly document: NodePlan | undefined;
}

function finished(
  member: NodeMember,
  plan: ClusterPlan | undefined,
  context: FleetContext & { readonly now: Instant; readonly due: Begun },
): Finished {
  if (plan === undefined) return unobserved(member, context);
  const { name: clusterName, mode } = member;
  const { digest } = context.world.input;
  const holds: Hold[] = [...context.due.holds];
  const underWay = [...plan.underWay, ...context.due.commands];
  const commands = [...underWay, ...plan.proposed.map((command) => started(command, member, { ...context, holds }))];
  const marked = underWay.flatMap(({ phase, nodes }) => (phase === 'Proposed' ? [] : nodes.map(({ name }) => name)));
  const pools = plan.poolsWith(new Set(marked));
  const section: PlannedNodes = {
    clusterName,
    mode,
    pools,
    commands: commands.map(shown),
    blocked: plan.blocked,
  };
  const names = new Set(plan.claims.map(({ name }) => name));
  const kept = (member.record?.claims ?? []).filter(
    ({ name, node }) =>
      !names.has(name) &&
      commands.some(({ phase, nodes }) => phase !== 'Proposed' && nodes.some((one) => one.name === node)),
  );
  return {
    section,
    target: targetOf(mode === 'execute' ? commands : [], plan.claims, digest),
    holds: [...holds, ...budgetHolds(plan, pools, clusterName), ...rollbackHolds(plan, clusterName, context.now)],
    wakes: [
      ...plan.wakes,
      ...commands.flatMap(({ phase, since }) =>
        phase === 'Validating'
          ? [(parseInstant(since!) ?? 0) + 15_000]
          : phase === 'Launching'
            ? [(parseInstant(since!) ?? 0) + 600_000 + 1]
            : [],
      ),
    ],
    document: {
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'NodePlan',
      metadata: { name: clusterName },
      mode,
      pools: [...pools],
      commands: commands.map((command) => {
        if (command.phase !== 'Proposed') return command;
        const { pods: _, ...rest } = command;
        return rest;
      }),
      blocked: [...plan.blocked],
      claims: [...plan.claims, ...kept],
      failures: [...plan.evolved.failures],
    },
  };
}

/** Without what only the record remembers. */
const shown = ({ startedAt: _, ...command }: NodeCommand): NodeCommand => ({
  ...command,
  replacements: command.replacements.map(({ seen: _seen, ...replacement }) => replacement),
});

function budgetHolds({ state }: ClusterPlan, pools: readonly PlannedPool[], clusterName: ClusterName): Hold[] {
  return pools.flatMap(({ name, changesAt }): Hold[] => {
    const over = [...(state.overBudget.get(name) ?? [])].filter((at) => !state.isTaken(at));
    if (over.length === 0) return [];
    const message = `${over.length} more ${over.length === 1 ? 'node' : 'nodes'} of NodePool ${name} would be disrupted than its budgets allow now`;
    return [
      {
        subject: { kind: 'NodePool', name, clusterName },
        reason: 'NodeBudget',
        message,
        ...(changesAt === undefined ? {} : { until: changesAt }),
      },
    ];
  });
}

const rollbackHolds = ({ evolved, cluster }: ClusterPlan, clusterName: ClusterName, now: Instant): Hold[] =>
  evolved.failures.flatMap(({ nodes, until, cause }): Hold[] => {
    const pool = cluster.nodes.find(({ name }) => nodes.includes(name))?.poolName;
    if (pool === undefined || (parseInstant(until) ?? 0) <= now) return [];
    const message = `the command for ${nodes.join(', ')} was rolled back: ${cause}`;
    return [{ subject: { kind: 'NodePool', name: pool, clusterName }, reason: 'CommandRolledBack', message, until }];
  });

/** What is recorded stands, and so does its target. */
function unobserved(member: NodeMember, { world, now }: { readonly world: World; readonly now: Instant }): Finished {
  const { name: clusterName, mode, pools, record } = member;
  const underWay = mode === 'execute' ? (record?.commands ?? []).filter(({ phase }) => phase !== 'Proposed') : [];
  const known = new Map((record?.pools ?? []).map((pool) => [pool.name, pool]));
  const listed = [...pools.values()].map((pool): PlannedPool => {
    const { nodes = 0, disrupting = 0 } = known.get(pool.name) ?? {};
    return poolEntry(pool, { total: nodes, disrupting }, now);
  });
  return {
    section: {
      clusterName,
      mode,
      pools: listed,
      commands: underWay.map(shown),
      blocked: [],
    },
    target: targetOf(underWay, record?.claims ?? [], world.input.digest),
    holds: [
      {
        subject: { kind: 'MemberCluster', name: clusterName },
        reason: 'NodesNotObserved',
        message: `nothing is planned for the nodes of ${clusterName}: ${unread(member, world)}`,
      },
    ],
    wakes: [],
    document: record,
  };
}

function unread({ name }: NodeMember, world: World): string {
  const { notListed = [] } = world.observationOf(name) ?? {};
  const causes = notListed.length === 0 ? '' : ` (${shortList(notListed)})`;
  return `its nodes and pods were not observed${causes}`;
}

/** Lints of pools, each once, and contradictory lists. */
function problemsOf(members: readonly NodeMember[], world: World, now: Instant): Problem[] {
  const { fleet } = world.input;
  const found = members.flatMap(({ name, pools, mode, annotations }) => [
    ...actingProblem({ name, annotations }, world),
    ...[...pools.values()].flatMap((pool) =>
      poolLints(pool, { now, isDelegated: mode === 'delegate' }).map((lint) => ({
        ...lint,
        ...sourceOf(fleet, { kind: 'NodePool', name: pool.name }),
      })),
    ),
    ...contradictions(name, world),
  ]);
  return [...new Map(found.map((problem) => [canonicalJson(problem), problem])).values()];
}

function contradictions(cluster: ClusterName, { members, input: { fleet } }: World): Problem[] {
  const { contradictions: found } = marketOf(members.get(cluster)!.labels, fleet.priceLists, fleet.instanceCatalogs);
  return found.map(({ kind, first, second, message }): Problem => {
    const source = fleet.sources?.get(sourceKey(kind, { name: second.name }));
    const other = fleet.sources?.get(sourceKey(kind, { name: first.name }));
    return {
      severity: 'error',
      code: 'duplicate',
      ...(source ?? {}),
      path: second.path,
      message: `${message}${other ? ` (also ${other.file}:${other.line})` : ''}`,
      fix: 'keep one of them, or give the lists selectors without a common cluster',
    };
  });
}
