import { member } from '../scenarios/fleet.ts';
import type { Dice } from './dice.ts';

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
  /** So many apps there ever were. */
  made: number;
  /** More is drawn than the first seeds know of. */
  readonly wide: boolean;
}

export function drawDesired(dice: Dice, wide: boolean): Desired {
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
    made: 0,
    wide,
  };
  for (let at = 0, count = dice.int(1, 3); at < count; at++) addApp(desired, dice, at === 1 && dice.chance(0.5));
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
  };
  desired.apps.set(app.name, app);
  if (external) addRun(desired, app);
  return app;
}

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

/** Of those that ask for the same only the first goes on. */
export function giveUpSharing({ apps }: Desired): void {
  const [, ...others] = [...apps.values()].filter(({ shared }) => shared);
  for (const app of others) app.shared = false;
}

/** The fleet repo that says what is desired. */
export function filesOf(desired: Desired): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [name, { env, tainted }] of desired.clusters)
    files[`clusters/${name}.yaml`] = member(
      name,
      { env },
      tainted ? 'taints: [{key: team, value: x, effect: NoSchedule}]' : '',
    );
  for (const app of desired.apps.values()) {
    files[`placements/${app.name}.yaml`] = placementText(app);
    files[`resources/${app.name}.yaml`] = resourceText(app);
  }
  if ([...desired.apps.values()].some(({ shared }) => shared)) files['resources/shared.yaml'] = sharedText;
  if (desired.runs.size > 0) files['strategies/careful.yaml'] = strategyText;
  for (const [name, run] of desired.runs) {
    if (desired.apps.has(run.app)) files[`runs/${name}.yaml`] = runText(name, run);
  }
  for (const [path, text] of desired.merged) files[path] = text;
  for (const path of desired.broken) if (files[path] !== undefined) files[path] = 'kind: [\n';
  return files;
}

function placementText(app: App): string {
  const strategy = app.external
    ? '{type: External}'
    : `{type: RollingUpdate, rollingUpdate: {maxUnavailable: ${app.maxUnavailable}, maxSurge: ${app.maxSurge}, unavailablePeriodSeconds: ${app.unavailablePeriodSeconds}}}`;
  return [
    'apiVersion: placement.kubernetes-fleet.io/v1',
    'kind: ClusterResourcePlacement',
    `metadata: {name: ${app.name}}`,
    'spec:',
    `  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: ${app.name}}${app.shared ? sharedSelector : ''}]`,
    `  policy: ${policyText(app.policy)}`,
    `  strategy: ${strategy}`,
    '',
  ].join('\n');
}

function policyText(policy: Policy): string {
  switch (policy.kind) {
    case 'PickAll':
      return policy.env === undefined
        ? '{placementType: PickAll}'
        : `{placementType: PickAll, affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {env: ${policy.env}}}}]}}}}`;
    case 'PickN':
      return `{placementType: PickN, numberOfClusters: ${policy.count}}`;
    case 'PickFixed':
      return `{placementType: PickFixed, clusterNames: [${policy.clusters.join(', ')}]}`;
  }
}

function resourceText({ name, version, failing, selector, configMap, gadget, replicas }: App): string {
  const annotations = failing ? ', annotations: {simulator.gitfleet.dev/fail: NotReady}' : '';
  return [
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}`,
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: ${name}}\nspec:\n  replicas: ${replicas}\n  selector: {matchLabels: {app: ${selector}}}\n  template:\n    metadata: {labels: {app: ${selector}}${annotations}}\n    spec: {containers: [{name: main, image: "app:${version}"}]}`,
    ...(configMap
      ? [
          `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: ${name}}\ndata: {version: "${version}"}`,
        ]
      : []),
    ...(gadget
      ? [
          `apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: gadget, namespace: ${name}}\nspec: {version: ${version}}`,
        ]
      : []),
  ].join('\n---\n');
}

const sharedSelector = ', {group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: shared}';
const sharedText =
  'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: shared}\nrules: [{apiGroups: [""], resources: [pods], verbs: [get]}]\n';

const strategyText = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: careful}
spec:
  stages:
  - name: dev
    labelSelector: {matchLabels: {env: dev}}
    afterStageTasks: [{type: TimedWait, waitTime: 30s}, {type: Approval}]
  - name: prod
    labelSelector: {matchLabels: {env: prod}}
`;

const runText = (name: string, run: { readonly app: string; readonly touched: number }): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}, annotations: {touched: "${run.touched}"}}\nspec: {placementName: ${run.app}, stagedRolloutStrategyName: careful}\n`;
