import type { Dice } from './dice.ts';
import { drawGates, type Gates } from './gates.ts';

/** One application: a Deployment `web` and perhaps a ConfigMap in the namespace of its name. */
export interface App {
  readonly name: string;
  /** Under External a staged run brings each version, `dev` first, `prod` after a merged approval. */
  readonly external: boolean;
  readonly maxUnavailable: number | string;
  readonly maxSurge: number;
  readonly unavailablePeriodSeconds: number;
  readonly configMap: boolean;
  readonly replicas: number;
  policy: Policy;
  /** Rises with every change of the image. */
  version: number;
  /** Its pods never become ready. */
  failing: boolean;
  /** A value of its selector, which cannot be changed where the Deployment is. */
  selector: string;
  /** Has an object of a kind that a member may come to serve late. */
  readonly gadget: boolean;
  /** Asks for a ClusterRole that others ask for, too: whoever comes first has it. Once given up it is not asked for again. */
  shared: boolean;
  /** What an override puts into it on clusters of `prod`; undefined: there is no override. */
  tuned: number | undefined;
  suspended: boolean;
  /** Whether differences on members are repaired, kept once applied, or only reported. */
  apply: 'always' | 'ifNotDrifted' | 'reportDiff';
  /** So many clusters may not be evicted from; in a rollout, too, where it is so. */
  budget: { readonly minAvailable: number; readonly inRollouts: boolean } | undefined;
  /** When its placement is removed, what it has stays. */
  readonly abandons: boolean;
  /** The status branch tells how its objects are on members. */
  readonly mirrors: boolean;
}

export type Policy =
  | { readonly kind: 'PickAll'; readonly env?: string }
  | { readonly kind: 'PickN'; readonly count: number }
  | { readonly kind: 'PickFixed'; readonly clusters: readonly string[] };

export interface DesiredCluster {
  env: 'dev' | 'prod';
  tainted: boolean;
}

/** What people want, as they think of it; `filesOf` writes it down. */
export interface Desired {
  readonly clusters: Map<string, DesiredCluster>;
  readonly apps: Map<string, App>;
  /** Names of runs, and how often their file was touched. */
  readonly runs: Map<string, { readonly app: string; readonly version: number; touched: number }>;
  /** Approvals that were merged: path and text. */
  readonly merged: Map<string, string>;
  /** Files that somebody broke. */
  readonly broken: Set<string>;
  /** Clusters that left at some time: what they held then is theirs to keep, and what comes of it when they return is not judged. */
  readonly left: Set<string>;
  /** Apps that are gone and left behind what they had. */
  readonly abandoned: Set<string>;
  /** So many apps there ever were. */
  made: number;
  /** Evictions whose file is there. */
  readonly evictions: Map<string, { readonly app: string; readonly cluster: string }>;
  /** So many evictions there ever were. */
  evicted: number;
  /** More is drawn than the first seeds know of. */
  readonly wide: boolean;
  /** And more again. */
  readonly ample: boolean;
  /** And runs that are stopped, refused or asked for before a stage, freezes, and a ResourcePlacement. */
  readonly gates?: Gates | undefined;
}

/** How much is drawn; each tells the stories of the one before, and more. */
export type Breadth = 'first' | 'wide' | 'ample' | 'gated';

export function drawDesired(dice: Dice, breadth: Breadth): Desired {
  const clusters = new Map<string, DesiredCluster>();
  for (let at = 0, count = dice.int(2, 5); at < count; at++)
    clusters.set(`c${at}`, { env: at === 0 ? 'dev' : dice.pick(['dev', 'prod']), tainted: false });
  const desired: Desired = {
    clusters,
    apps: new Map(),
    runs: new Map(),
    merged: new Map(),
    broken: new Set(),
    left: new Set(),
    evictions: new Map(),
    evicted: 0,
    abandoned: new Set(),
    made: 0,
    wide: breadth !== 'first',
    ample: breadth === 'ample' || breadth === 'gated',
    gates: breadth === 'gated' ? drawGates(dice) : undefined,
  };
  for (let at = 0, count = dice.int(1, 3); at < count; at++)
    addApp(desired, dice, at === (desired.gates ? 0 : 1) && dice.chance(desired.gates ? 0.9 : 0.5));
  return desired;
}

export function addApp(desired: Desired, dice: Dice, external = false): App {
  const app: App = {
    // A name is used once: an app that comes back under an old name may well bring an older version.
    name: `app${desired.made++}`,
    external,
    maxUnavailable: dice.pick([1, 1, 1, 2, '25%', '50%']),
    maxSurge: dice.pick([0, 1]),
    unavailablePeriodSeconds: dice.pick([0, 5, 30]),
    configMap: dice.chance(0.4),
    replicas: dice.int(1, 2),
    policy: drawPolicy(desired, dice, external),
    version: 1,
    failing: false,
    selector: 'web',
    gadget: desired.wide && dice.chance(0.2),
    shared: desired.wide && !external && dice.chance(0.4),
    tuned: desired.ample && dice.chance(0.3) ? 1 : undefined,
    suspended: false,
    apply: desired.ample && !external ? dice.pick(['always', 'always', 'ifNotDrifted'] as const) : 'always',
    budget: desired.ample && dice.chance(0.4) ? drawBudget(dice) : undefined,
    abandons: desired.ample && dice.chance(0.2),
    mirrors: desired.ample && dice.chance(0.3),
  };
  desired.apps.set(app.name, app);
  if (external) desired.gates?.of.set(app.name, dice.pick([['before'], ['after'], ['before', 'after']] as const));
  if (external) addRun(desired, app);
  return app;
}

export const drawBudget = (dice: Dice): NonNullable<App['budget']> => ({
  minAvailable: dice.int(0, 3),
  inRollouts: dice.chance(0.5),
});

function drawPolicy({ clusters }: Desired, dice: Dice, external: boolean): Policy {
  const kind = external ? 'PickAll' : dice.pick(['PickAll', 'PickAll', 'PickN', 'PickN', 'PickFixed'] as const);
  switch (kind) {
    case 'PickAll':
      return !external && dice.chance(0.4) ? { kind, env: dice.pick(['dev', 'prod']) } : { kind };
    case 'PickN':
      return { kind, count: dice.int(1, clusters.size) };
    case 'PickFixed':
      return { kind, clusters: [...clusters.keys()].filter((_, at) => at === 0 || dice.chance(0.5)) };
  }
}

export function addRun(desired: Desired, app: App): void {
  desired.runs.set(`${app.name}-v${app.version}`, { app: app.name, version: app.version, touched: 0 });
}

/** Of those that select the same object only the first continues. */
export function giveUpSharing({ apps }: Desired): void {
  const [, ...others] = [...apps.values()].filter(({ shared }) => shared);
  for (const app of others) app.shared = false;
}
