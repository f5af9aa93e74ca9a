import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { parse } from 'yaml';
import { type Document, type Files, folder, removeFolders } from '../../support/folders.ts';
import { at } from '../../support/instants.ts';
import { overrideEverywhere } from '../../support/override-everywhere.ts';
import { cli } from '../../support/run-cli.ts';

export { at, T0 } from '../../support/instants.ts';

afterAll(removeFolders);

/** What one member shows; absent = it holds nothing. */
export interface Observed {
  readonly placements?: readonly Document[];
  readonly objects?: readonly Document[];
  readonly complete?: boolean;
  readonly reachable?: boolean;
  /** Absent = the instant of the plan. */
  readonly observedAt?: string;
}

export interface Step {
  readonly code: number;
  readonly plan: Document;
  /** A file of the record, parsed. */
  file(path: string): Document;
}

/** A fleet repo, its record and what its members show: every step goes through `gitfleet plan` and leads to the next. */
export class Story {
  files: Record<string, string>;
  record: Files;
  /** By member; undefined = `--observed` is left out. Members that are not named hold nothing. */
  seen: Record<string, Observed> | undefined;
  seconds = 0;

  constructor(files: Files, record: Files = {}) {
    this.files = { ...files };
    this.record = record;
  }

  /**
   * Plans at `seconds` after T0 and continues from the record it leaves. Planning again at once must want the same and
   * write the same, whatever the plan was; `refused` says that the guard must speak.
   */
  async plan(seconds = this.seconds, options: { readonly refused?: boolean } = {}): Promise<Step> {
    this.seconds = seconds;
    const step = await this.#once();
    expect(step.plan.guard.length > 0).toBe(options.refused === true);
    if (options.refused) return step;
    this.record = step.plan.record;
    const again = await this.#once();
    expect(again.plan.record).toEqual(step.plan.record);
    expect(again.plan.digest).toBe(step.plan.digest);
    expect(again.plan.wakeAt).toBe(step.plan.wakeAt);
    return step;
  }

  /** Plans and continues without a record: for inputs that are not the record of an earlier step. */
  planOnce(): Promise<Step> {
    return this.#once();
  }

  async #once(): Promise<Step> {
    const [repo, recorded, out] = [folder(this.files), folder(this.record), folder({})];
    const seen = this.seen && folder(this.#observations(this.seen));
    const { code, out: text } = await cli(
      ...['plan', '--repo', repo, '--recorded', recorded, '--out-recorded', out, '--now', at(this.seconds)],
      ...(seen === undefined ? [] : ['--observed', seen]),
      ...['-o', 'json'],
    );
    const plan = JSON.parse(text);
    for (const [path, content] of Object.entries(plan.record))
      expect(await readFile(join(out, path), 'utf8')).toBe(content);
    return { code, plan, file: (path) => parse(plan.record[path]) };
  }

  #observations(seen: Record<string, Observed>): Files {
    const names = Object.values(this.files).flatMap((text) =>
      [...text.matchAll(/kind: MemberCluster\nmetadata: \{name: ([a-z0-9-]+)/g)].map(([, name]) => name!),
    );
    return Object.fromEntries(
      [...new Set([...names, ...Object.keys(seen)])].map((name) => {
        const given = seen[name] ?? {};
        const { placements = [], objects = [], complete = true, reachable = true } = given;
        const observation = {
          apiVersion: 'gitfleet.dev/v1alpha1',
          kind: 'ClusterObservation',
          metadata: { name },
          observedAt: given.observedAt ?? at(this.seconds),
          reachable,
          ...(reachable ? { complete, placements, objects } : { cause: 'connection refused' }),
        };
        return [`${name}.json`, JSON.stringify(observation)];
      }),
    );
  }
}

export const member = (name: string, labels: Readonly<Record<string, string>> = {}, spec = '{}'): string =>
  `apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata: {name: ${name}, labels: ${JSON.stringify(labels)}}\nspec: ${spec}\n`;

export const members = (names: string): Files =>
  Object.fromEntries(names.split(' ').map((name) => [`clusters/${name}.yaml`, member(name)]));

/** Namespace `web` and what belongs to it; `policy` and `strategy` are YAML. */
export const placement = (policy: string, strategy = '{type: RollingUpdate}', more = ''): string => `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  resourceSelectors:
    - {group: "", version: v1, kind: Namespace, name: web}
  policy: ${policy}
  strategy: ${strategy}
${more}`;

export const all = '{placementType: PickAll}';
export const pickN = (n: number): string => `{placementType: PickN, numberOfClusters: ${n}}`;

export const rolling = (maxUnavailable: number | string, maxSurge: number | string, seconds = 60): string =>
  `{type: RollingUpdate, rollingUpdate: {maxUnavailable: ${JSON.stringify(maxUnavailable)}, maxSurge: ${JSON.stringify(maxSurge)}, unavailablePeriodSeconds: ${seconds}}}`;

/** Namespace web with one Deployment of two replicas that runs `image`. */
export const app = (image: string, more = ''): string => `
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "${image}"}]}
${more}`;

/** The placement web of the app, and the members it may go to; nothing is planned yet. */
export const webOn = (names: string, policy: string, strategy: string, image = 'web:1'): Story =>
  new Story({ ...members(names), 'web.yaml': placement(policy, strategy), 'resources/web.yaml': app(image) });

/** The same, with the first version on every cluster that is named. */
export async function rolledOut(names: string, policy: string, strategy: string): Promise<Story> {
  const story = webOn(names, policy, strategy);
  story.seen = {};
  await story.plan();
  story.seen = everywhere(names, 0);
  await story.plan(10);
  return story;
}

const label = { labels: { 'gitfleet.dev/placement': 'web' } };
export const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web', ...label } };
export const deployment = (available: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'web', generation: 3, ...label },
  spec: { replicas: 2 },
  status: {
    observedGeneration: 3,
    replicas: 2,
    updatedReplicas: 2,
    availableReplicas: available,
    ...(available < 2 ? { unavailableReplicas: 2 - available } : {}),
  },
});

/** A member whose actor has brought snapshot `index` of web about. */
export const holds = (index: number, objects: readonly Document[] = [namespace, deployment(2)]): Observed => ({
  placements: [placementEntry(index)],
  objects,
});
export const placementEntry = (index: number, more: Document = {}) => ({
  placement: { kind: 'ClusterResourcePlacement', name: 'web' },
  resourceSnapshotIndex: index,
  done: true,
  ...more,
});

/** Every named member has brought `index` about, and all of it is available. */
export const everywhere = (names: string, index: number) =>
  Object.fromEntries(names.split(' ').map((name) => [name, holds(index)]));

/** `a Bound 1 update`, binding by binding. */
export const moves = ({ plan }: Step, name = 'web'): string[] =>
  plan.placements
    .find((it: Document) => it.name === name)
    .bindings.map(({ clusterName, state, resourceSnapshotIndex, move }: Document) =>
      [clusterName, state, resourceSnapshotIndex ?? '-', move].join(' '),
    );
/** `Applied=True/AllWorkHaveBeenApplied`, condition by condition. */
export const words = (conditions: Document): string[] =>
  (conditions ?? []).map(({ type, status, reason }: Document) => `${type}=${status}/${reason}`);
export const bindingOn = ({ plan }: Step, cluster: string): Document =>
  plan.placements[0].bindings.find(({ clusterName }: Document) => clusterName === cluster);
/** `UnavailablePeriod b until …`, hold by hold. */
export const held = ({ plan }: Step): string[] =>
  plan.holds.map(({ reason, subject, until }: Document) =>
    [reason, subject.clusterName ?? subject.name, ...(until ? ['until', until] : [])].join(' '),
  );
/** `a web 1`, or `a web removed`, target by target. */
export const targets = ({ plan }: Step): string[] =>
  plan.targets.map(({ clusterName, placement: { name }, resourceSnapshotIndex, remove }: Document) =>
    [clusterName, name, remove ? 'removed' : resourceSnapshotIndex].join(' '),
  );

/** An override that applies everywhere: two replicas. */
export const twoReplicas = overrideEverywhere('less', '{op: replace, path: /spec/replicas, value: 2}');

/** Asks that a placement leaves a cluster. */
export const eviction = (name: string, cluster: string, of = 'web', version = 'v1beta1') => `
apiVersion: placement.kubernetes-fleet.io/${version}
kind: ClusterResourcePlacementEviction
metadata: {name: ${name}}
spec: {placementName: ${of}, clusterName: ${cluster}}
`;
