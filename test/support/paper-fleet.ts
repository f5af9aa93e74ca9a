import { expect } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import type { ClusterObservation, ObjectOutcome } from '../../src/api/observation.ts';
import { placementKey } from '../../src/api/placement.ts';
import { recordedContent, targetContent } from '../../src/engine/delivery/target-content.ts';
import type { Fleet, PlanInput } from '../../src/engine/input.ts';
import { formatInstant, parseInstant } from '../../src/engine/kernel/instant.ts';
import { type PlanResult, planFleet } from '../../src/engine/plan.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { memoOf } from '../../src/engine/reuse/memo.ts';
import { refOfManifest } from '../../src/engine/selection/object-key.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { memoryCache } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { isRead } from '../../src/repo/record/path.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { sha256 } from '../../src/repo/sha256.ts';
import type { RepoTree } from '../../src/repo/tree.ts';
import { planDefaults } from './plan-defaults.ts';
import { renderRecord } from './render-record.ts';

/** A copy of the input, so that no cache has it. */
const strange = ({ digest, ...values }: PlanInput): PlanInput => ({ ...structuredClone(values), digest });

/** A fleet repo in memory: path to text. */
export function treeOf(files: Readonly<Record<string, string>>): RepoTree {
  const oids = new Map(Object.entries(files).map(([path, text]) => [path, sha256(text)]));
  const texts = new Map(Object.entries(files).map(([path, text]) => [oids.get(path)!, text]));
  return {
    id: sha256(JSON.stringify(files)),
    files: async () => Object.keys(files).map((path) => ({ path, oid: oids.get(path)!, mode: '100644' })),
    read: async (wanted) =>
      new Map(
        wanted.flatMap((oid) => (texts.has(oid) ? [[oid, new TextEncoder().encode(texts.get(oid)!)] as const] : [])),
      ),
  };
}

export interface Held {
  readonly index: number | undefined;
  readonly digest: string | undefined;
  readonly objects: readonly Manifest[];
  /** What could not be removed. */
  readonly results?: readonly ObjectOutcome[];
  /** No actor knows what it did here. */
  readonly forgotten: boolean;
}

/** A whole fleet on paper: repo, record and members, moved forward by hand. Nothing here waits and nothing is random. */
export class PaperFleet {
  files: Record<string, string>;
  now: number;
  record: ReadonlyMap<string, string> = new Map();
  /** Members that do not answer. */
  readonly down = new Set<string>();
  /** Objects that never become available, `cluster/Kind/name`. */
  readonly broken = new Set<string>();
  /** What pods of a Deployment wait for, by cluster. */
  readonly podCauses = new Map<string, ClusterObservation['podCauses']>();
  /** Namespaces with objects of others in them, `cluster/name`: a removal leaves them there. */
  readonly settled = new Set<string>();
  /** What members report of objects that were not simply applied, by `cluster/placement`. */
  readonly results = new Map<string, readonly ObjectOutcome[]>();
  readonly members = new Map<string, Map<string, Held>>();
  /** What members run, and what their upgrade providers report. */
  readonly versions = new Map<string, Pick<ClusterObservation, 'versions' | 'upgrade'>>();
  last: PlanResult | undefined;
  /** Files that do not change are read once, as a daemon reads them. */
  readonly #cache = memoryCache();
  /** Of the fleet repo; nothing here depends on what it is. */
  commit = 'c'.repeat(40);
  /** Who gave approvals; undefined = not known. */
  approvers: Fleet['approvers'];

  constructor(files: Readonly<Record<string, string>>, now = '2026-11-20T10:00:00Z') {
    this.files = { ...files };
    this.now = parseInstant(now)!;
  }

  pass(seconds: number): void {
    this.now += seconds * 1000;
  }

  /**
   * Plans and records. Every plan must pass the guard, planning again at once must find nothing new, and what an earlier plan
   * leaves to be reused must change nothing. A plan that has changed nothing, or is refused, is the same a minute later.
   */
  async plan(options: { readonly refused?: boolean; readonly damaged?: boolean } = {}): Promise<Plan> {
    const loaded = await loadFleet(treeOf(this.files), this.#cache);
    const fleet = this.approvers ? { ...loaded, approvers: this.approvers } : loaded;
    const result = this.#planOnce(fleet, options.damaged);
    const earlier = this.last?.plan.now;
    this.last = result;
    if (options.refused) {
      expect(result.plan.guard).not.toEqual([]);
      this.#expectSameLater(fleet, result.plan);
      return result.plan;
    }
    expect(result.plan.guard).toEqual([]);
    const before = this.record;
    this.record = renderRecord(result.plan.record);
    expect([...this.record.keys()].filter((path) => !isRead(path))).toEqual([]);
    // At the same instant an observation is not newer than the record.
    if (earlier !== result.plan.now && Object.keys(changes(before, this.record)).length === 0)
      this.#expectSameLater(fleet, result.plan);
    const again = planFleet(this.#input(fleet)).plan;
    expect(changes(this.record, renderRecord(again.record))).toEqual({});
    expect(again.targets).toEqual(result.plan.targets);
    return result.plan;
  }

  /** Time alone changes nothing that is published before `wakeAt`. */
  #expectSameLater(fleet: Fleet, plan: Plan): void {
    const later = this.now + 60_000;
    if (plan.wakeAt !== undefined && parseInstant(plan.wakeAt)! <= later) return;
    const again = planFleet({ ...this.#input(fleet, true), now: formatInstant(later) }).plan;
    const published = ({ digest, guard, holds, wakeAt }: Plan) => ({ digest, guard, holds, wakeAt });
    // Changes of a refused plan start later, too: what they wait for is not published.
    if (plan.guard.length > 0) {
      expect([again.digest, again.guard]).toEqual([plan.digest, plan.guard]);
      return;
    }
    expect(published(again)).toEqual(published(plan));
    expect(changes(renderRecord(plan.record), renderRecord(again.record))).toEqual({});
  }

  /** The input of the next plan. */
  async input(): Promise<PlanInput> {
    return this.#input(await loadFleet(treeOf(this.files), this.#cache), true);
  }

  /** Plans like `plan`, also with findings of the guard or problems; a refused plan is not recorded. */
  async planOn(): Promise<Plan> {
    const result = this.#planOnce(await loadFleet(treeOf(this.files), this.#cache), true);
    this.last = result;
    if (result.plan.guard.length === 0) this.record = renderRecord(result.plan.record);
    return result.plan;
  }

  #input(fleet: Fleet, damaged = false): PlanInput {
    const { record, problems } = readRecord(this.record);
    if (!damaged) expect(problems).toEqual([]);
    return {
      now: formatInstant(this.now),
      commit: this.commit,
      fleet: damaged ? { ...fleet, problems: [...fleet.problems, ...problems] } : fleet,
      observations: this.#observations(fleet),
      ...planDefaults,
      record,
      digest: sha256,
    };
  }

  #planOnce(fleet: Fleet, damaged = false): PlanResult {
    const input = this.#input(fleet, damaged);
    const result = planFleet(input, this.last && memoOf(this.last.parts));
    expect(told(result)).toBe(told(planFleet(strange(input))));
    return result;
  }

  /**
   * Brings every reachable member, or that one, to its targets, or to that of one placement; all objects are available at once unless they
   * are broken.
   */
  deliver(only?: string, placement?: string): void {
    const { plan, contents } = this.last!;
    for (const target of placementTargets(plan.targets)) {
      if (this.down.has(target.clusterName) || (only !== undefined && only !== target.clusterName)) continue;
      if (placement !== undefined && placement !== target.placement.name) continue;
      const held = this.members.get(target.clusterName) ?? new Map<string, Held>();
      this.members.set(target.clusterName, held);
      const key = placementKey(target.placement);
      const content = targetContent(contents, target);
      // Targets without known contents are not assigned.
      if (!content) continue;
      const { leaveAlone, manifests } = content;
      if (target.remove) this.#remove(target.clusterName, key, held);
      else
        held.set(key, {
          index: target.resourceSnapshotIndex,
          digest: target.digest,
          objects: leaveAlone
            ? (held.get(key)?.objects ?? [])
            : manifests.map(({ manifest }) => this.live(manifest, target.clusterName)),
          forgotten: false,
        });
    }
  }

  #remove(cluster: string, key: string, held: Map<string, Held>): void {
    const objects = (held.get(key)?.objects ?? []).filter(
      ({ kind, metadata }) => kind === 'Namespace' && this.settled.has(`${cluster}/${metadata.name}`),
    );
    const results = objects.map((object) => ({ object: refOfManifest(object), result: 'ContainsForeignObjects' }));
    if (objects.length === 0) held.delete(key);
    else held.set(key, { index: undefined, digest: undefined, objects, results, forgotten: false });
  }

  /** What is on members follows `broken` at once, without anything being delivered. */
  refresh(): void {
    for (const [cluster, placements] of this.members)
      for (const [key, held] of placements)
        placements.set(key, { ...held, objects: held.objects.map((object) => this.live(object, cluster)) });
  }

  /** As the member shows it once it was applied. */
  live(manifest: Manifest, cluster: string): Manifest {
    if (manifest.kind !== 'Deployment') return manifest;
    const replicas = ((manifest['spec'] as { replicas?: number } | undefined)?.replicas ?? 1) as number;
    const up = this.broken.has(`${cluster}/${manifest.kind}/${manifest.metadata.name}`) ? 0 : replicas;
    return {
      ...manifest,
      metadata: { ...manifest.metadata, generation: 1 },
      status: {
        observedGeneration: 1,
        replicas,
        updatedReplicas: replicas,
        availableReplicas: up,
        unavailableReplicas: replicas - up,
      },
    };
  }

  /** Another daemon starts: what the actors of the one before did is not known any more. */
  restart(): void {
    for (const placements of this.members.values())
      for (const [key, held] of placements) placements.set(key, { ...held, forgotten: true });
  }

  /** Plans and delivers until a plan changes nothing; at most `most` times. */
  async settle(most = 20): Promise<Plan> {
    let before: ReadonlyMap<string, string> = new Map();
    for (let step = 0; step < most; step++) {
      const plan = await this.plan();
      this.deliver();
      if (Object.keys(changes(before, this.record)).length === 0) return plan;
      before = this.record;
      this.pass(1);
    }
    throw new Error(`not settled after ${most} plans`);
  }

  #observations(fleet: Fleet): Map<string, ClusterObservation> {
    const at = formatInstant(this.now);
    return new Map(
      fleet.members.map(({ metadata: { name }, status }): [string, ClusterObservation] => {
        const head = {
          apiVersion: 'gitfleet.dev/v1alpha1',
          kind: 'ClusterObservation',
          metadata: { name },
          observedAt: at,
        } as const;
        const none = { placements: [], objects: [], nodes: [], pods: [], extras: [] };
        if (this.down.has(name)) return [name, { ...head, ...none, reachable: false, complete: false, cause: 'down' }];
        const held = [...(this.members.get(name) ?? [])];
        const remembered = held.filter(([, { forgotten }]) => !forgotten);
        const placements = remembered.map(([key, { index, digest, results = [] }]) => {
          const [namespace, short] = key.includes('.') ? key.split('.') : [undefined, key];
          return {
            placement: {
              kind: namespace ? ('ResourcePlacement' as const) : ('ClusterResourcePlacement' as const),
              name: short!,
              ...(namespace ? { namespace } : {}),
            },
            ...(index === undefined ? {} : { resourceSnapshotIndex: index }),
            ...(digest === undefined ? {} : { digest }),
            done: true,
            results: [...results, ...(this.results.get(`${name}/${key}`) ?? [])],
          };
        });
        return [
          name,
          {
            ...head,
            ...none,
            reachable: true,
            complete: true,
            // Capacity and the like are taken from the file.
            ...(status ? { memberStatus: status } : {}),
            ...this.versions.get(name),
            ...(this.podCauses.has(name) && { podCauses: this.podCauses.get(name) }),
            placements,
            objects: held.flatMap(([, { objects }]) => objects),
          },
        ];
      }),
    );
  }
}

/** The plan, the texts to publish and the contents to apply: equal results give equal texts, byte for byte. */
export const told = ({ plan: { record, ...plan }, contents }: PlanResult): string =>
  JSON.stringify([
    plan,
    placementTargets(plan.targets).map((target) => targetContent(contents, target)),
    placementTargets(plan.targets).map((target) => recordedContent(contents, target)),
    [...renderRecord(record)],
  ]);

/** Files that differ, with their new text. */
export function changes(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Record<string, string> {
  const changed = [...after].filter(([path, text]) => before.get(path) !== text);
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path): [string, string] => [path, '(gone)']);
  return Object.fromEntries([...changed, ...gone]);
}

/** One line per binding: what a reader of a golden wants to see. */
export const moves = (plan: Plan): string[] =>
  plan.placements.flatMap(({ name, bindings }) =>
    bindings.map(
      ({ clusterName, move, state, resourceSnapshotIndex }) =>
        `${name} ${clusterName} ${move} ${state}${resourceSnapshotIndex === undefined ? '' : ` ${resourceSnapshotIndex}`}`,
    ),
  );

export const member = (name: string, labels: Record<string, string> = {}, extra = ''): string =>
  `apiVersion: cluster.kubernetes-fleet.io/v1\nkind: MemberCluster\nmetadata:\n  name: ${name}\n  labels: ${JSON.stringify(labels)}\nspec: {${extra}}\n`;

export const deployment = (name: string, namespace: string, image: string): string =>
  `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: ${name}}}\n  template:\n    metadata: {labels: {app: ${name}}}\n    spec: {containers: [{name: main, image: "${image}"}]}\n`;

export const placement = (name: string, policy: string, strategy = '{type: RollingUpdate}', namespace = name): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacement\nmetadata: {name: ${name}}\nspec:\n  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: ${namespace}}]\n  policy: ${policy}\n  strategy: ${strategy}\n`;
