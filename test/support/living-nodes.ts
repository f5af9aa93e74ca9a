import type { ClusterName } from '../../src/api/meta.ts';
import type { NodeCommand } from '../../src/api/nodes/node-plan.ts';
import { type ClusterObservation, clusterObservation } from '../../src/api/observation.ts';
import type { NodeTarget } from '../../src/engine/plan-document.ts';
import { claim, node, type nodePool, pod } from './node-world.ts';

export interface LivingNode {
  readonly name: string;
  readonly pool: string;
  readonly type: string;
  readonly cpu: number;
  readonly zone: string;
  readonly createdAt: number;
  isDrifted: boolean;
  isReady: boolean;
  /** Of a replacement: when it is initialized. */
  readonly upAt: number;
  isTainted: boolean;
  deletedAt: number | undefined;
  podEvent: number | undefined;
}

export interface LivingPod {
  readonly name: string;
  node: string | undefined;
  readonly cpu: number;
  kind: 'plain' | 'protected' | 'briefly' | 'budgeted' | 'apart' | 'zoned';
  readonly zone: string;
  startedAt: number;
}

interface Launch {
  readonly fate: 'up' | 'failed' | 'lost';
  readonly since: number;
  readonly node: LivingNode;
}

const instant = (ms: number): string => new Date(ms).toISOString().replace('.000', '');
const isAtWork = ({ isReady, isTainted, deletedAt }: LivingNode): boolean =>
  isReady && !isTainted && deletedAt === undefined;
const briefMs = 600_000;

/** A cluster whose nodes and pods go where commands, drains and a scheduler put them. */
export class LivingNodes {
  readonly name: ClusterName;
  readonly nodes: LivingNode[];
  readonly pods: LivingPod[];
  /** A budget that protects pods allows nothing. */
  isClosed = false;
  private readonly pools: readonly ReturnType<typeof nodePool>[];
  private readonly types: readonly { readonly name: string; readonly cpu: number }[];
  private readonly canLaunch: boolean;
  private readonly launches = new Map<string, Launch>();

  constructor(of: {
    readonly name: string;
    readonly nodes: LivingNode[];
    readonly pods: LivingPod[];
    readonly pools: readonly ReturnType<typeof nodePool>[];
    readonly types: LivingNodes['types'];
    readonly canLaunch: boolean;
  }) {
    this.name = of.name as ClusterName;
    this.nodes = of.nodes;
    this.pods = of.pods;
    this.pools = of.pools;
    this.types = of.types;
    this.canLaunch = of.canLaunch;
  }

  podsOn = (name: string): readonly LivingPod[] => this.pods.filter((one) => one.node === name);

  observed(now: number): ClusterObservation {
    const present = this.nodes.filter(({ upAt }) => upAt <= now);
    const shown = present.map((of) => [of, shownNode(of)] as const);
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'held', namespace: 'shop' },
      spec: { minAvailable: 1, selector: { matchLabels: { kind: 'budgeted' } } },
      status: { disruptionsAllowed: this.isClosed ? 0 : 1 },
    };
    const launches = [...this.launches].map(([name, { fate, since }]) => ({
      name,
      phase: fate === 'failed' ? 'Failed' : present.some((one) => one.name === name) ? 'Launched' : 'Launching',
      since: instant(since),
    }));
    return clusterObservation.parse({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ClusterObservation',
      metadata: { name: this.name },
      observedAt: instant(now),
      reachable: true,
      memberStatus: {},
      nodes: shown.map(([, made]) => made),
      pods: this.pods.map(shownPod),
      extras: [...this.pools, budget, ...shown.map(([of, made]) => this.claimOf(of, made))],
      ...(this.canLaunch ? { launches } : {}),
    });
  }

  private claimOf(of: LivingNode, made: ReturnType<typeof node>) {
    const { template, disruption } = this.pools.find(({ metadata }) => metadata.name === of.pool)!.spec as {
      readonly template: { readonly spec: { readonly expireAfter?: string; readonly terminationGracePeriod?: string } };
      readonly disruption?: { readonly expireAfter?: string };
    };
    const { expireAfter = disruption?.expireAfter, terminationGracePeriod } = template.spec;
    const created = made.metadata.creationTimestamp;
    const conditions = ['Initialized', ...(of.isDrifted ? ['Drifted'] : [])];
    return claim(made, {
      metadata: of.deletedAt === undefined ? {} : { deletionTimestamp: instant(of.deletedAt) },
      spec: { expireAfter, ...(terminationGracePeriod ? { terminationGracePeriod } : {}) },
      status: {
        capacity: made.status.capacity,
        conditions: conditions.map((type) => ({ type, status: 'True', reason: type, lastTransitionTime: created })),
        ...(of.podEvent === undefined ? {} : { lastPodEventTime: instant(of.podEvent) }),
      },
    });
  }

  /** What an actor does with a target. `fate`: of what is launched now. */
  follow(target: NodeTarget, now: number, fate: Launch['fate']): void {
    const wanted = new Map(target.nodes.map((one) => [one.name, one.want]));
    for (const one of this.nodes) {
      one.isTainted = wanted.has(one.name);
      if (wanted.get(one.name) === 'Gone') one.deletedAt ??= now;
    }
    const asked = new Set(target.launches.map(({ name }) => name));
    for (const [name, { node: made }] of this.launches)
      if (!asked.has(name) && (made.upAt > now || made.upAt + 60_000 < now)) this.launches.delete(name);
    for (const { name, pool, instanceType, zone } of target.launches) {
      if (this.launches.has(name)) continue;
      const { cpu } = this.types.find((type) => type.name === instanceType)!;
      const upAt = fate === 'up' ? now + 30_000 : Number.POSITIVE_INFINITY;
      const made = { name, pool, type: instanceType, cpu, zone, createdAt: now, upAt, isDrifted: false, isReady: true };
      const fresh: LivingNode = { ...made, isTainted: false, deletedAt: undefined, podEvent: undefined };
      this.launches.set(name, { fate, since: now, node: fresh });
    }
  }

  /** What happens until `now`: replacements come up, drains end, pods find places, those of commands where these say. */
  pass(commands: readonly NodeCommand[], now: number): void {
    for (const { node: made } of this.launches.values())
      if (made.upAt <= now && !this.nodes.some(({ name }) => name === made.name)) this.nodes.push(made);
    const targets = new Map(commands.flatMap(({ pods = [] }) => pods.map((move) => [move.name, move.to] as const)));
    for (const one of this.nodes.filter(({ deletedAt = now }) => deletedAt < now)) {
      const isHeld = this.podsOn(one.name).some(({ kind }) => kind === 'protected') && now - one.deletedAt! < briefMs;
      if (isHeld) continue;
      this.nodes.splice(this.nodes.indexOf(one), 1);
      for (const moved of this.podsOn(one.name)) this.bind(moved, targets.get(moved.name), now);
    }
    for (const one of this.pods) if (one.node === undefined) this.bind(one, undefined, now);
  }

  private bind(one: LivingPod, wanted: string | undefined, now: number): void {
    const hasRoom = (on: LivingNode): boolean =>
      isAtWork(on) &&
      this.podsOn(on.name).reduce((sum, { cpu }) => sum + cpu, one.cpu) <= on.cpu &&
      (one.kind !== 'zoned' || one.zone === on.zone) &&
      (one.kind !== 'apart' || !this.podsOn(on.name).some(({ kind }) => kind === 'apart'));
    one.node = undefined;
    const found = [...this.nodes.filter(({ name }) => name === wanted), ...this.nodes].find(hasRoom);
    if (found === undefined) return;
    one.node = found.name;
    one.startedAt = now;
    found.podEvent = now;
  }
}

/** Whether nothing but force takes the node of a pod now. */
export const isProtected = ({ kind, startedAt }: LivingPod, { isClosed }: LivingNodes, now: number): boolean =>
  kind === 'protected' || (kind === 'briefly' && now < startedAt + briefMs) || (kind === 'budgeted' && isClosed);

const shownNode = ({ name, pool, type, cpu, zone, createdAt, isReady, isTainted }: LivingNode) =>
  node(name, {
    ...{ pool, type, zone, cpu: String(cpu), memory: `${cpu * 4}Gi`, ready: isReady, createdAt: instant(createdAt) },
    taints: isTainted ? [{ key: 'gitfleet.dev/disrupted', effect: 'NoSchedule' }] : [],
  });

const protection = { protected: 'true', briefly: '10m' } as const;
const notScheduled = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
const notTwiceOnANode = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { kind: 'apart' } } },
    ],
  },
};

const shownPod = ({ name, node: on, cpu, kind, zone, startedAt }: LivingPod) =>
  pod(name, on, {
    cpu: String(cpu),
    memory: '64Mi',
    labels: { kind },
    annotations: kind === 'protected' || kind === 'briefly' ? { 'karpenter.sh/do-not-disrupt': protection[kind] } : {},
    spec: {
      ...(kind === 'zoned' ? { nodeSelector: { 'topology.kubernetes.io/zone': zone } } : {}),
      ...(kind === 'apart' ? { affinity: notTwiceOnANode } : {}),
    },
    status: on === undefined ? { phase: 'Pending', conditions: notScheduled } : { startTime: instant(startedAt) },
  });
