import { expect } from 'vitest';
import type { ClusterName, IntOrPercent, Manifest, PlacementKey } from '../../src/api/meta.ts';
import { placementKey } from '../../src/api/placement.ts';
import type { PlanResult } from '../../src/engine/plan.ts';
import type { Plan, PlannedBinding, PlannedEviction, Target } from '../../src/engine/plan-document.ts';
import type { Held, PaperFleet } from './fleet.ts';

/** What a rolling update is asked to keep to. */
export interface Asked {
  /** Undefined where all clusters are asked for. */
  readonly wanted: number | undefined;
  readonly maxUnavailable: IntOrPercent;
  readonly maxSurge: IntOrPercent;
  /** How many a disruption budget that binds rollouts wants available. */
  readonly minAvailable?: number | undefined;
  /** Nothing is applied, only compared. */
  readonly onlyCompares?: boolean;
}

/**
 * Follows one rolling placement from plan to plan and holds each against the budgets of its file (KubeFleet rollout/controller.go), by
 * what its clusters hold and were told to hold: nothing that the engine concludes is asked.
 */
export class RollingWatch {
  readonly #paper: PaperFleet;
  readonly #key: PlacementKey;
  #before: PlanResult | undefined;
  /** What every cluster held when it was last looked at. */
  readonly #seen = new Map<ClusterName, Held | undefined>();
  /** Clusters that were last looked at while nothing was applied: those count as available (KubeFleet's DiffReported). */
  #compared: ReadonlySet<ClusterName> = new Set();
  /** Clusters that counted for maxSurge in the last plan. */
  #counted: ReadonlySet<ClusterName> = new Set();

  constructor(paper: PaperFleet, key: string) {
    this.#paper = paper;
    this.#key = key as PlacementKey;
  }

  /**
   * After each plan. `asked` is undefined where the placement has no file. `lost`: what was lost of the record since the plan
   * before; of what a file was lost that is not all of them nothing is remembered, so that it counts as new.
   */
  planned(asked: Asked | undefined, lost?: 'forgetOne' | 'forgetAll'): void {
    const members = Object.keys(this.#paper.files).flatMap((path) => /^clusters\/(.*)\.yaml$/.exec(path)?.[1] ?? []);
    const isUp = (name: ClusterName): boolean => !this.#paper.down.has(name);
    for (const name of members) if (isUp(name)) this.#seen.set(name, this.#paper.members.get(name)?.get(this.#key));
    const compares = (name: ClusterName): boolean =>
      isUp(name) ? asked?.onlyCompares === true : this.#compared.has(name);
    this.#compared = new Set(members.filter(compares));
    const [before, after] = [this.#before, this.#paper.last!];
    this.#before = after;
    if (before && asked && lost !== 'forgetOne') this.#keepsAvailable(members, asked, before, after);
    this.#counted = before && asked && !lost ? this.#keepsToSurge(members, asked, before, after) : new Set();
  }

  /**
   * A plan may take clusters out of service only as long as maxUnavailable leaves the others in it. In service is what holds all
   * that it was told to, and has it available; what others broke, and what nobody has brought yet, is not, whoever is to blame.
   * Rollouts do not answer for what an eviction took in the same plan.
   */
  #keepsAvailable(members: readonly ClusterName[], asked: Asked, before: PlanResult, after: PlanResult): void {
    const evicted = this.#evicted(before.plan, after.plan);
    const served = members.filter((cluster) => this.#isServing(before, cluster));
    const serving = new Set(members.filter((cluster) => this.#isServing(after, cluster)));
    const taken = served.filter((cluster) => !serving.has(cluster) && !evicted.has(cluster));
    if (taken.length === 0) return;
    const left = serving.union(this.#compared).union(evicted.intersection(new Set(served)));
    const total = asked.wanted ?? clustersPicked(this.#bindings(after));
    const of = `${this.#key} on ${taken.join(', ')} was taken out of service, which left ${[...left].join(', ')} of ${total}`;
    expect(left.size, of).toBeGreaterThanOrEqual(total - scaledUp(asked.maxUnavailable, total));
    // To such a budget what only compares is not available, so that it loses nothing.
    if (this.#compared.size === 0)
      expect(left.size, `${of}, by its budget`).toBeGreaterThanOrEqual(asked.minAvailable ?? 0);
  }

  /**
   * A plan may bring the placement to more clusters only up to the number asked for and maxSurge. Clusters that have it, or may come
   * to have it, count until it is gone from them; those where it failed do not. What takes the place of what leaves its cluster adds
   * none. Says which clusters counted.
   */
  #keepsToSurge(
    members: readonly ClusterName[],
    asked: Asked,
    before: PlanResult,
    after: PlanResult,
  ): ReadonlySet<ClusterName> {
    const bindings = this.#bindings(after);
    const had = new Set(
      bindings
        .filter(({ move, state }) => move !== 'add' && state !== 'Scheduled')
        .map(({ clusterName }) => clusterName),
    );
    const counts = (cluster: ClusterName): boolean => {
      const target = this.#target(before, cluster);
      if (target?.remove) return this.#counted.has(cluster);
      const isOnItsWay = target?.digest !== undefined && this.#seen.get(cluster)?.digest !== target.digest;
      return isOnItsWay || this.#isServing(before, cluster);
    };
    const counted = new Set(members.filter((cluster) => had.has(cluster) && counts(cluster)));
    const added = bindings.filter(({ move, clusterName }) => move === 'add' && !had.has(clusterName));
    if (added.length === 0) return counted;
    const total = asked.wanted ?? clustersPicked(this.#bindings(after));
    const names = added.map(({ clusterName }) => clusterName).join(', ');
    const of = `${this.#key} came to ${names} while ${[...counted].join(', ')} had it, of ${total}`;
    expect(added.length + counted.size, of).toBeLessThanOrEqual(total + scaledUp(asked.maxSurge, total));
    return counted;
  }

  /** Whether a cluster has in service what a plan tells it to hold. What is to stay as it is serves if all of it does. */
  #isServing(result: PlanResult, cluster: ClusterName): boolean {
    const held = this.#seen.get(cluster)?.objects ?? [];
    const target = this.#target(result, cluster);
    if (held.length === 0 || target === undefined || target.remove || !held.every(isAvailable)) return false;
    const content = result.contentOf(target);
    if (content === undefined || content.leaveAlone || content.strategy.type === 'ReportDiff') return true;
    const shown = new Set(held.map(asApplied));
    return content.manifests.every(({ manifest }) => shown.has(asApplied(manifest)));
  }

  #target({ plan }: PlanResult, cluster: ClusterName): Target | undefined {
    return plan.targets.find(
      ({ clusterName, placement }) => clusterName === cluster && placementKey(placement) === this.#key,
    );
  }

  #bindings({ plan }: PlanResult): readonly PlannedBinding[] {
    return plan.placements.find((placement) => placementKey(placement) === this.#key)!.bindings;
  }

  #evicted(before: Plan, after: Plan): ReadonlySet<ClusterName> {
    const earlier = new Set(carriedOut(before).map(({ name }) => name));
    const now = carriedOut(after).filter(
      ({ name, placementName }) => placementName === this.#key && !earlier.has(name),
    );
    return new Set(now.map(({ clusterName }) => clusterName));
  }
}

/** One that waits for the end of a freeze has taken nothing away yet. */
const carriedOut = ({ evictions }: Plan): readonly PlannedEviction[] =>
  evictions.filter(({ status }) =>
    status.conditions.some(({ type, status: is }) => type === 'Executed' && is === 'True'),
  );

const isAvailable = ({ kind, status }: Manifest): boolean =>
  kind !== 'Deployment' || (status as { unavailableReplicas?: number } | undefined)?.unavailableReplicas === 0;

/** Without what the cluster adds. */
const asApplied = ({ status: _, metadata: { generation: __, ...metadata }, ...rest }: Manifest): string =>
  JSON.stringify({ ...rest, metadata });

/** Of PickAll, also those that are on their way out again; one that is picked anew counts once. */
export const clustersPicked = (bindings: readonly PlannedBinding[]): number =>
  new Set(bindings.filter(({ state }) => state !== 'Unscheduled').map(({ clusterName }) => clusterName)).size;

export const scaledUp = (value: IntOrPercent, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
