import type { ClusterName, IntOrPercent, Manifest, PlacementKey } from '../../src/api/meta.ts';
import { placementKey } from '../../src/api/placement.ts';
import { targetContent } from '../../src/engine/delivery/target-content.ts';
import type { PlanResult } from '../../src/engine/plan.ts';
import type { PlacementTarget, PlannedBinding, PlannedEviction } from '../../src/engine/plan-document.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import type { Held, PaperFleet } from '../support/paper-fleet.ts';

/**
 * What clusters held of one placement when they were last looked at: what can be known of them without asking the engine for what it
 * concludes.
 */
export class LastLooks {
  readonly #paper: PaperFleet;
  readonly #key: PlacementKey;
  readonly #seen = new Map<ClusterName, Held | undefined>();
  /** Clusters whose actor only compared when it was last heard of. */
  readonly #compared = new Set<ClusterName>();
  /** What of it was up, and since when. */
  readonly #up = new Map<ClusterName, { readonly what: string; readonly since: number }>();
  /** Clusters of the fleet. */
  members: readonly ClusterName[] = [];

  constructor(paper: PaperFleet, key: string) {
    this.#paper = paper;
    this.#key = key as PlacementKey;
  }

  isUp(cluster: ClusterName): boolean {
    return !this.#paper.down.has(cluster);
  }

  /** As every plan does. */
  look(): void {
    const { files, members, results } = this.#paper;
    this.members = Object.keys(files).flatMap((path) => /^clusters\/(.*)\.yaml$/.exec(path)?.[1] ?? []);
    for (const name of this.members) {
      if (!this.isUp(name)) continue;
      const held = members.get(name)?.get(this.#key);
      this.#seen.set(name, held);
      const reported = results.get(`${name}/${this.#key}`) ?? [];
      if (reported.some(({ result }) => result.includes('Diff'))) this.#compared.add(name);
      else this.#compared.delete(name);
      const what = (held?.objects ?? []).map((object) => `${isAvailable(object)} ${asApplied(object)}`).join('\n');
      if (this.#up.get(name)?.what !== what) this.#up.set(name, { what, since: this.#paper.now });
    }
  }

  held(cluster: ClusterName): Held | undefined {
    return this.#seen.get(cluster);
  }

  /** Clusters of the fleet that have in service what a plan tells them to hold. What is to stay as it is serves if all of it does. */
  serving(result: PlanResult): ReadonlySet<ClusterName> {
    return new Set(this.members.filter((cluster) => this.#isServing(result, cluster)));
  }

  /** Those that count as available: with objects that nobody can track, only once they have been there for the unavailable period. */
  available(result: PlanResult): ReadonlySet<ClusterName> {
    const isTracked = (cluster: ClusterName): boolean =>
      this.held(cluster)?.objects.every(({ kind }) => kind !== 'Widget') === true;
    const isOld = (cluster: ClusterName): boolean =>
      this.#up.get(cluster)!.since < this.#paper.now - unavailablePeriodMs;
    return new Set([...this.serving(result)].filter((cluster) => isTracked(cluster) || isOld(cluster)));
  }

  #isServing(result: PlanResult, cluster: ClusterName): boolean {
    const held = this.held(cluster)?.objects ?? [];
    const target = this.target(result, cluster);
    if (held.length === 0 || target === undefined || target.remove || !held.every(isAvailable)) return false;
    const content = targetContent(result.contents, target);
    if (content === undefined || content.leaveAlone || content.strategy.type === 'ReportDiff') return true;
    // What was only compared is applied anew: that is under way, and KubeFleet counts it as failed until then.
    if (this.#compared.has(cluster)) return false;
    const shown = new Set(held.map(asApplied));
    return content.manifests.every(({ manifest }) => shown.has(asApplied(manifest)));
  }

  target({ plan }: PlanResult, cluster: ClusterName): PlacementTarget | undefined {
    return placementTargets(plan.targets).find(
      ({ clusterName, placement }) => clusterName === cluster && placementKey(placement) === this.#key,
    );
  }

  bindings({ plan }: PlanResult): readonly PlannedBinding[] {
    return plan.placements.find((placement) => placementKey(placement) === this.#key)?.bindings ?? [];
  }

  /**
   * Evictions from the placement that one plan decided on, and the one before had not; one that waits for the end of a freeze is undecided.
   */
  decided(before: PlanResult, after: PlanResult): readonly PlannedEviction[] {
    const earlier = new Set(before.plan.evictions.filter(isDecided).map(({ name }) => name));
    return after.plan.evictions.filter(
      (eviction) => eviction.placementName === this.#key && isDecided(eviction) && !earlier.has(eviction.name),
    );
  }
}

/** Where the file names none. */
const unavailablePeriodMs = 60_000;

const isDecided = ({ status }: PlannedEviction): boolean => status.conditions.some(({ type }) => type === 'Executed');

export const isExecuted = ({ status }: PlannedEviction): boolean =>
  status.conditions.some(({ type, status: is }) => type === 'Executed' && is === 'True');

const isAvailable = ({ kind, status }: Manifest): boolean =>
  kind !== 'Deployment' || (status as { unavailableReplicas?: number } | undefined)?.unavailableReplicas === 0;

/** Without what the cluster adds. */
const asApplied = ({ status: _, metadata: { generation: __, ...metadata }, ...rest }: Manifest): string =>
  JSON.stringify({ ...rest, metadata });

/** Percentages of a total round up, whatever KubeFleet uses them for. */
export const scaledUp = (value: IntOrPercent, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
