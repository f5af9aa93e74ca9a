import type { SimulatedLaunches, SimulatedRequestedApi, SimulatedUpgrades } from '../api/simulated-fleet.ts';
import type { SimClock } from './clock.ts';
import { openQueue, type Queue } from './controllers/queue.ts';
import { openRegistry, type Registry } from './kinds/registry.ts';
import { type Random, seededRandom } from './random.ts';
import { type CustomCaches, customCaches } from './storage/custom-caches.ts';
import type { Allocation } from './storage/prepare.ts';
import { openStore, type Store } from './storage/store.ts';

/** The state of one simulated member: its store, its kinds and its queue of work. */
export interface Cluster {
  readonly name: string;
  readonly clock: SimClock;
  readonly store: Store;
  readonly registry: Registry;
  readonly customCaches: CustomCaches;
  readonly queue: Queue;
  readonly random: Random;
  readonly allocate: Allocation & { readonly podIP: () => string; readonly externalIP: () => string };
  /** Now as Kubernetes writes it: whole seconds. */
  readonly timestamp: () => string;
  /** Seconds of simulated time that a kind needs to become ready. */
  readonly delayOf: (kind: string) => number;
  kubernetesVersion: string;
  readonly region: string | undefined;
  /** The last upgrade that was requested. */
  upgrade: SimulatedUpgrade | undefined;
  /** How many upgrades were begun. */
  upgradesBegun: number;
  readonly upgrades: SimulatedUpgrades;
  /** What clients that are not simulated requested of APIs that are removed later. */
  readonly requestedApis: readonly SimulatedRequestedApi[];
  /** Nodes that were asked for, by name. */
  readonly launched: Map<string, SimulatedLaunch>;
  readonly launches: SimulatedLaunches;
}

export interface SimulatedLaunch {
  readonly phase: 'Launching' | 'Launched' | 'Failed';
  readonly message?: string;
  readonly since: string;
}

export interface SimulatedUpgrade {
  readonly operationId: string;
  readonly phase: 'Running' | 'Succeeded' | 'Failed';
  readonly message: string;
}

export interface ClusterOptions {
  readonly name: string;
  readonly clock: SimClock;
  readonly kubernetesVersion: string;
  readonly region?: string | undefined;
  readonly delays: Readonly<Record<string, number>>;
  readonly upgrades?: SimulatedUpgrades | undefined;
  readonly requestedApis?: readonly SimulatedRequestedApi[] | undefined;
  readonly launches?: SimulatedLaunches | undefined;
}

/** Default seconds until ready: slow enough to be visible, quick enough for a demo. */
export const usualDelays: Readonly<Record<string, number>> = {
  Deployment: 3,
  StatefulSet: 4,
  DaemonSet: 3,
  Pod: 3,
  Job: 5,
  LoadBalancer: 8,
  PersistentVolumeClaim: 1,
  CustomResourceDefinition: 1,
  /** From the deletion of a pod until it is gone. */
  Termination: 1,
};

/** Quick enough for a demo, slow enough to be seen. */
const usualUpgrades: SimulatedUpgrades = { controlPlaneSeconds: 10, nodeSeconds: 5, outcome: 'Succeeds' };

const usualLaunches: SimulatedLaunches = { seconds: 5, outcome: 'Succeeds' };

/** Controllers react this many milliseconds after a change: after the response of the request, as in a real cluster. */
const reactionMs = 20;

export function openCluster(options: ClusterOptions): Cluster {
  const { clock } = options;
  const random = seededRandom(options.name);
  const store = openStore(() => clock.now());
  let services = 10;
  let ports = 30_000;
  let pods = 2;
  let externals = 1;
  return {
    name: options.name,
    clock,
    store,
    registry: openRegistry(),
    customCaches: customCaches(clock, store),
    queue: openQueue(clock, reactionMs),
    random,
    allocate: {
      clusterIP: () => `10.96.${(++services >> 8) & 255}.${services & 255}`,
      nodePort: () => (ports = ports >= 32_767 ? 30_000 : ports + 1),
      podIP: () => `10.244.${(++pods >> 8) & 255}.${pods & 255}`,
      externalIP: () => `203.0.113.${++externals & 255}`,
    },
    timestamp: () => timestampOf(clock.now()),
    delayOf: (kind) => options.delays[kind] ?? usualDelays[kind] ?? 0,
    kubernetesVersion: options.kubernetesVersion,
    region: options.region,
    upgrade: undefined,
    upgradesBegun: 0,
    upgrades: options.upgrades ?? usualUpgrades,
    requestedApis: options.requestedApis ?? [],
    launched: new Map(),
    launches: options.launches ?? usualLaunches,
  };
}

/** Caches the text of the present second, which many objects share. */
export function timestampOf(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== last.second) last = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return last.text;
}
let last = { second: Number.NaN, text: '' };
