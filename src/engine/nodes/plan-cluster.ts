import type { Manifest } from '../../api/meta.ts';
import type { DisruptionMode } from '../../api/nodes/disruption-modes.ts';
import type { BlockedNode, NodeCommand, NodePlan, PlannedPool, RecordedClaim } from '../../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { memoize } from '../kernel/memoize.ts';
import { sameValue } from '../kernel/same-value.ts';
import { limitedReasons, limitsChangeAt, limitsOf, remainingOf } from '../node-pools/budgets.ts';
import type { Pool } from '../node-pools/pool.ts';
import { blockedNodes } from './blocked-nodes.ts';
import { classDigest, classKey, classOfPool, driftOf, showsOtherTemplate, templateDigest } from './candidates/drift.ts';
import { textOfExpiry } from './cluster/claim.ts';
import { type ClusterNodes, observedNodes, withCommands } from './cluster/cluster-nodes.ts';
import type { Pod } from './cluster/pod.ts';
import { poolCounts } from './cluster/pool-counts.ts';
import { commandOf, usedNames } from './commands.ts';
import { launchPools } from './launch/launchables.ts';
import type { Market } from './launch/market.ts';
import { type Evolved, evolve, nodesUnderWay, phaseEnd } from './lifecycle.ts';
import { consolidate } from './methods/consolidate.ts';
import { replaceDrifted, replaceDriftedStatic } from './methods/drift.ts';
import { removeEmpty } from './methods/emptiness.ts';
import { expireByForce, expireGracefully } from './methods/expiration.ts';
import { type Draft, type PlanState, planState } from './methods/plan-state.ts';
import { planTimes } from './plan-times.ts';
import { arrivingNode } from './simulate/arriving-node.ts';
import { landingNodes } from './simulate/landing-order.ts';
import { classifyPods } from './simulate/pod-classes.ts';
import { type Launched, openScheduling, type Scheduling } from './simulate/scheduling.ts';
import { validatedInTurn } from './validation.ts';

export interface ClusterPlanInput {
  readonly clusterName: string;
  readonly mode: DisruptionMode;
  readonly observation: ClusterObservation;
  /** AKSNodeClasses that this plan delivers. */
  readonly classes?: readonly Manifest[];
  readonly pools: ReadonlyMap<string, Pool>;
  readonly market: Market;
  readonly record: NodePlan | undefined;
  /** A provider can launch nodes now: what it launches was read. */
  readonly launches: boolean;
  readonly gates: { readonly SpotToSpotConsolidation: boolean };
  readonly now: Instant;
  readonly digest: (text: string) => string;
  readonly limits?: PlanLimits;
}

/** What the limits of the fleet leave to the plan of a cluster. */
export interface PlanLimits {
  /** How many nodes go in new commands for a reason; absent = any number. */
  readonly most?: MostNodes;
  /** Nodes whose command ends with its validation, since it may not begin. */
  readonly kept?: readonly string[];
}

export type MostNodes = { readonly [reason in NodeCommand['reason']]?: number };

/** What is to become of the nodes of one cluster, before the limits of the fleet. */
export interface ClusterPlan {
  readonly cluster: ClusterNodes;
  readonly state: PlanState;
  /** `marked`: names of nodes of commands under way. */
  readonly poolsWith: (marked: ReadonlySet<string>) => readonly PlannedPool[];
  /** Begun by earlier plans, in their phase of now. */
  readonly underWay: readonly NodeCommand[];
  /** Whose validation ends now, in the phase that follows. */
  readonly due: readonly NodeCommand[];
  readonly proposed: readonly NodeCommand[];
  /** What `proposed` leaves to those that cannot begin now. Each counts on all before it. */
  readonly waiting: readonly NodeCommand[];
  /** The same within these limits as well: what exceeds them waits, and keeps nothing from others. */
  readonly within: (limits: PlanLimits) => ClusterPlan;
  readonly blocked: readonly BlockedNode[];
  readonly claims: readonly RecordedClaim[];
  readonly evolved: Evolved;
  readonly driftedNodes: number;
  readonly wakes: readonly Instant[];
  /** From the first instant until just before the second it is the same, if nothing but time changes. */
  readonly stands: { readonly from: Instant; readonly until: Instant };
}

/** `changesAt` looks so far ahead that a day makes no difference to it. */
const dayMs = 86_400_000;

export function planCluster(given: ClusterPlanInput): ClusterPlan {
  const input = { ...given, observation: withObjects(given.observation) };
  const { observation, pools, market, record, launches, now, digest, mode, clusterName, limits = {} } = input;
  const { most = {}, kept = [] } = limits;
  const recorded = mode === 'execute' ? record : record && { ...record, commands: [], failures: [] };
  const observed = observedNodes({ observation, pools, market, record: recorded });
  const launch = launchPools(pools.values(), market, observation.extras);
  const classes = memoize(classifyPods);
  const context = { ...observed, classOf: (pod: Pod) => classes(observed).classOf(pod), now };
  const evolved: Evolved =
    recorded === undefined
      ? { commands: [], failures: [], rolledBack: [] }
      : evolve(recorded, { cluster: observed, observation, context, now });
  const isDue = (command: NodeCommand): boolean =>
    command.phase === 'Validating' && (phaseEnd(command, 0) ?? now) <= now;
  const standing = evolved.commands.filter((command) => !isDue(command));
  const cluster = withCommands(observed, standing);
  const moves = movesUnderWay(standing, cluster, input);
  const scheduling = openScheduling({ cluster, pools: launch, now, ...moves });
  const state = stateOf({ ...input, cluster, launch, scheduling, coming: moves.coming, evolved });
  const startsLess = mode === 'execute' && !launches;
  const naming = { clusterName, digest, used: usedNames(cluster, observation) };
  // Whatever stands, these go now: nothing that is validated may count on them.
  expireByForce(state);
  const forced = [...state.drafts];
  const ending = evolved.commands.filter(
    (command) => isDue(command) && !command.nodes.some(({ name }) => kept.includes(name)),
  );
  const due = [
    ...validatedInTurn(ending, state, { ...naming, launchesNothing: startsLess, underWay: evolved.commands }),
  ];
  const named = (drafts: readonly Draft[]): readonly NodeCommand[] =>
    drafts.map((draft) => commandOf(draft, state, naming));
  // Commands that cannot start must not take what others need that can.
  const proposed = named([...forced, ...propose(state, startsLess ? 0 : Number.POSITIVE_INFINITY, most)]);
  const waiting = named(propose(state, Number.POSITIVE_INFINITY, mostWaiting(most, startsLess)));
  const underWay = [...standing].sort(byStart);
  const listed = [...underWay, ...due, ...proposed, ...waiting];
  const busy = new Set(listed.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const pooled = poolsWith(cluster, input, new Set());
  const cuts = new Map<string, ClusterPlan>();
  const times = planTimes(cluster, { failures: evolved.failures, market, now }).filter((at) => at > now);
  const isSettled =
    due.length === 0 && sameValue(evolved.commands, inProgress(recorded)) && evolved.rolledBack.length === 0;
  const ends = [
    ...times,
    ...pooled.flatMap(({ changesAt }) => parseInstant(changesAt ?? '') ?? []),
    ...underWay.flatMap((command) => phaseEnd(command, nodesUnderWay(underWay)) ?? []),
  ];
  return {
    cluster,
    state,
    poolsWith: (marked) => (marked.size === 0 ? pooled : poolsWith(cluster, input, marked)),
    underWay,
    due: due.sort(byStart),
    proposed,
    waiting,
    within: (more) => {
      const key = JSON.stringify(more);
      const known = cuts.get(key) ?? planCluster({ ...given, limits: { ...limits, ...more } });
      cuts.set(key, known);
      return known;
    },
    blocked: blockedNodes(state, busy),
    claims: recordedClaims(cluster, { ...input, classes: classesOf(input), busy }),
    evolved,
    driftedNodes: cluster.nodes.filter((_, at) => state.driftOf(at) !== undefined).length,
    wakes: times,
    // What begins or ends now is dated so, and is no plan of another instant.
    stands: { from: now, until: isSettled ? ends.reduce((a, b) => (b > now ? Math.min(a, b) : a), now + dayMs) : now },
  };
}

/** What all methods in their order find. `mostNew`: new nodes that a command may need. */
function propose(state: PlanState, mostNew: number, mostNodes: MostNodes): readonly Draft[] {
  const before = state.drafts.length;
  const { Expired = any, Empty = any, Drifted = any, Underutilized = any } = mostNodes;
  if (Expired > 0) expireGracefully(state, mostNew, Expired);
  removeEmpty(state, Empty);
  const drifted = state.drafts.length;
  if (mostNew > 0 && Drifted > 0) replaceDriftedStatic(state, Drifted);
  if (Drifted > 0) replaceDrifted(state, mostNew, Drifted - (state.drafts.length - drifted));
  if (state.launch.length > 0) consolidate(state, mostNew, Underutilized);
  return state.drafts.slice(before);
}

const any = Number.POSITIVE_INFINITY;

/** What is left for commands that wait. There is one of empty nodes only, and it launches nothing. */
const mostWaiting = ({ Empty, ...most }: MostNodes, startsLess: boolean): MostNodes => ({
  Expired: startsLess || most.Expired !== undefined ? any : 0,
  Empty: Empty === 0 ? any : 0,
  Drifted: startsLess || most.Drifted !== undefined ? any : 0,
  Underutilized: startsLess || most.Underutilized !== undefined ? any : 0,
});

/** What placements deliver protects pods like anything else: objects are read as extras, each once. */
function withObjects(observation: ClusterObservation): ClusterObservation {
  const keyOf = ({ apiVersion, kind, metadata: { namespace = '', name } }: Manifest): string =>
    `${apiVersion.split('/')[0]} ${kind} ${namespace}/${name}`;
  const known = new Set(observation.extras.map(keyOf));
  const others = observation.objects.filter((object) => !known.has(keyOf(object)));
  return { ...observation, extras: [...observation.extras, ...others] };
}

/** Those of one plan stay as it found them: each counts on the ones before it, which a validation looks at first. */
export const byStart = (a: NodeCommand, b: NodeCommand): number =>
  (parseInstant(a.startedAt ?? '') ?? 0) - (parseInstant(b.startedAt ?? '') ?? 0);

function stateOf({
  observation,
  classes,
  market,
  pools,
  gates,
  now,
  digest,
  cluster,
  launch,
  scheduling,
  coming,
  evolved,
}: ClusterPlanInput & {
  readonly cluster: ClusterNodes;
  readonly launch: PlanState['launch'];
  readonly scheduling: Scheduling;
  readonly coming: PlanState['coming'];
  readonly evolved: Evolved;
}): PlanState {
  const drift = { market, classes: classesOf({ observation, classes }), digest, now };
  const drifts = new Map<number, ReturnType<typeof driftOf>>();
  const coolDowns = new Map(
    evolved.failures.flatMap(({ nodes, until }) => nodes.map((name) => [name, parseInstant(until) ?? 0] as const)),
  );
  return planState({
    cluster,
    market,
    pools,
    launch,
    scheduling,
    coming,
    now,
    gates,
    driftOf(at) {
      if (!drifts.has(at)) drifts.set(at, driftOf(cluster.nodes[at]!, drift));
      return drifts.get(at);
    },
    coolDownOf({ name }) {
      const until = coolDowns.get(name);
      return until !== undefined && now < until ? until : undefined;
    },
  });
}

/** Node classes as files write them, with the status that the cluster shows; others as the cluster shows them. */
function classesOf({
  observation: { extras },
  classes = [],
}: Pick<ClusterPlanInput, 'observation' | 'classes'>): ReadonlyMap<string, Manifest> {
  const keyOf = ({ apiVersion, kind, metadata: { name } }: Manifest): string =>
    classKey({ group: apiVersion.split('/')[0]!, kind, name });
  const live = new Map(extras.map((manifest) => [keyOf(manifest), manifest]));
  const own = classes.map((manifest) => {
    const status = live.get(keyOf(manifest))?.['status'];
    return [keyOf(manifest), { ...manifest, ...(status === undefined ? {} : { status }) }] as const;
  });
  return new Map([...live, ...own]);
}

/** Where the pods of commands under way go: to nodes that stay, or to replacements, which may not be there yet. */
function movesUnderWay(
  commands: readonly NodeCommand[],
  cluster: ClusterNodes,
  { pools, market }: Pick<ClusterPlanInput, 'pools' | 'market'>,
) {
  const landing = landingNodes(cluster);
  let count = landing.length;
  const indexes = new Map(
    landing.flatMap(({ name, claim }, at) => [[name, at] as const, ...(claim ? [[claim.name, at] as const] : [])]),
  );
  const { pods, claimsWithoutNode } = cluster;
  const known = new Set([...indexes.keys(), ...claimsWithoutNode.map(({ name }) => name)]);
  const byKey = new Map(pods.map((pod) => [pod.key, pod]));
  const underWay = new Map<Pod, number | undefined>();
  const staying = new Set<number>();
  const coming: Launched[] = [];
  const stays = (name: string): void => {
    const at = indexes.get(name);
    if (at !== undefined) staying.add(at);
  };
  for (const command of commands) {
    const isRemoving = command.phase === 'Removing';
    for (const replacement of command.replacements) {
      const { name, pool, instanceType } = replacement;
      stays(name);
      if (known.has(name) || isRemoving) continue;
      const node = arrivingNode(replacement, pools, market);
      if (node !== undefined) indexes.set(name, count++);
      coming.push({ pool, capacity: market.types?.get(instanceType)?.capacity ?? new Map(), node });
    }
    for (const { namespace, name, from, to } of command.pods ?? []) {
      if (to === undefined) continue;
      stays(to);
      const pod = byKey.get(`${namespace}/${name}`);
      const at = indexes.get(to);
      const place = landing[at ?? -1];
      // Where its place has gone, a pod needs another, like all on leaving nodes.
      const isLost = at === undefined ? isRemoving : place?.isDeleting || place?.isMarked;
      // One that has moved already is counted where it is.
      if (pod?.node === from && !isLost) underWay.set(pod, at);
    }
  }
  return { underWay, staying, coming };
}

const inProgress = (record: NodePlan | undefined): readonly NodeCommand[] =>
  (record?.commands ?? []).filter(({ phase }) => phase !== 'Proposed');

const poolsWith = (
  cluster: ClusterNodes,
  { pools, now }: Pick<ClusterPlanInput, 'pools' | 'now'>,
  marked: ReadonlySet<string>,
): readonly PlannedPool[] => [...pools.values()].map((pool) => plannedPool(pool, cluster, { now, marked }));

function plannedPool(
  pool: Pool,
  { nodes }: ClusterNodes,
  { now, marked }: { readonly now: Instant; readonly marked: ReadonlySet<string> },
): PlannedPool {
  const now_ = nodes.map((node) => (node.isMarked || marked.has(node.name) ? { ...node, isMarked: true } : node));
  const { total, disrupting } = poolCounts(now_, pool.name);
  return poolEntry(pool, { total, disrupting }, now);
}

/** A pool with so many nodes, of which some are on their way out. */
export function poolEntry(
  pool: Pool,
  { total, disrupting }: { readonly total: number; readonly disrupting: number },
  now: Instant,
): PlannedPool {
  const limit = limitsOf(pool, total, now);
  const change = limitsChangeAt(pool, total, now);
  return {
    name: pool.name,
    profile: pool.profile,
    nodes: total,
    disrupting,
    limit,
    allowed: {
      ...(Object.fromEntries(limitedReasons.map((reason) => [reason, remainingOf(limit[reason], disrupting)])) as Pick<
        PlannedPool['allowed'],
        'Empty' | 'Drifted' | 'Underutilized'
      >),
      ...(limit.Expired === undefined ? {} : { Expired: remainingOf(limit.Expired, disrupting) }),
    },
    ...(change === undefined ? {} : { changesAt: formatInstant(change) }),
  };
}

/** What is remembered of claims: the digests of the day on which they were first seen. */
function recordedClaims(
  { nodes, claimsWithoutNode }: ClusterNodes,
  {
    pools,
    classes,
    digest,
    busy,
  }: Pick<ClusterPlanInput, 'pools' | 'digest'> & {
    readonly classes: ReadonlyMap<string, Manifest>;
    readonly busy: ReadonlySet<string>;
  },
): readonly RecordedClaim[] {
  const claims = [...nodes.flatMap(({ claim }) => claim ?? []), ...claimsWithoutNode];
  const initialized = new Set(nodes.flatMap(({ claim, isInitialized }) => (isInitialized && claim ? [claim] : [])));
  return claims
    .map((claim): RecordedClaim => {
      const { recorded, manifest } = claim;
      const pool = claim.poolName === undefined ? undefined : pools.get(claim.poolName);
      const isFirst = recorded === undefined;
      const nodeClass = pool && classOfPool(pool, classes);
      const template =
        recorded?.template ??
        (pool?.hasTemplate && !showsOtherTemplate(claim, pool) ? templateDigest(pool, digest) : undefined);
      const ofClass = recorded?.nodeClass ?? (nodeClass && classDigest(nodeClass, digest));
      const expireAfter = manifest ? undefined : isFirst ? pool && textOfExpiry(pool) : recorded.expireAfter;
      const grace = manifest
        ? busy.has(claim.node ?? '') && claim.terminationGraceMs !== undefined
          ? `${claim.terminationGraceMs / 1000}s`
          : undefined
        : isFirst
          ? pool?.terminationGracePeriod
          : recorded.terminationGracePeriod;
      return {
        name: claim.name,
        ...(claim.node === undefined ? {} : { node: claim.node }),
        uid: claim.uid,
        ...(claim.poolName === undefined ? {} : { pool: claim.poolName }),
        ...(manifest ? {} : { createdAt: formatInstant(claim.createdAt) }),
        ...(template === undefined ? {} : { template }),
        ...(ofClass === undefined ? {} : { nodeClass: ofClass }),
        ...(expireAfter === undefined ? {} : { expireAfter }),
        ...(grace === undefined ? {} : { terminationGracePeriod: grace }),
        ...(!manifest && initialized.has(claim) ? { initialized: true } : {}),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
