import { expect } from 'vitest';
import type { ClusterName, IntOrPercent } from '../../src/api/meta.ts';
import type { PlanResult } from '../../src/engine/plan.ts';
import type { PlannedBinding } from '../../src/engine/plan-document.ts';
import type { PaperFleet } from '../support/paper-fleet.ts';
import { isExecuted, LastLooks, scaledUp } from './last-looks.ts';

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
 * what its clusters hold and were told to hold.
 */
export class RollingWatch {
  readonly #paper: PaperFleet;
  readonly #key: string;
  readonly #looks: LastLooks;
  #before: PlanResult | undefined;
  /** Clusters that were last looked at while nothing was applied: those count as available (KubeFleet's DiffReported). */
  #compared: ReadonlySet<ClusterName> = new Set();
  #onlyCompares = false;
  /** Clusters that counted for maxSurge in the last plan. */
  #counted: ReadonlySet<ClusterName> = new Set();

  constructor(paper: PaperFleet, key: string) {
    this.#paper = paper;
    this.#key = key;
    this.#looks = new LastLooks(paper, key);
  }

  /** After each plan. `asked` is undefined where the placement has no file. `lost`: what was lost of the record since the plan before. */
  planned(asked: Asked | undefined, lost?: 'forgetOne' | 'forgetAll'): void {
    const looks = this.#looks;
    looks.look();
    const compares = (name: ClusterName): boolean =>
      looks.isUp(name) ? asked?.onlyCompares === true : this.#compared.has(name);
    this.#compared = new Set(looks.members.filter(compares));
    const [before, after] = [this.#before, this.#paper.last!];
    this.#before = after;
    const turns = this.#onlyCompares !== (asked?.onlyCompares ?? false);
    this.#onlyCompares = asked?.onlyCompares ?? false;
    this.#counted = new Set();
    if (!before || !asked) return;
    // Of what one file was lost nothing is remembered, so that it counts as new. All of it is missed where members show what is ours.
    // To apply what was only compared is no rollout: it is asked for of all clusters at once.
    if (!turns && (!lost || (lost === 'forgetAll' && this.#isMissed()))) this.#keepsAvailable(asked, before, after);
    if (!lost) this.#counted = this.#keepsToSurge(asked, before, after);
  }

  #isMissed(): boolean {
    const { members } = this.#paper;
    return this.#looks.members.some(
      (name) =>
        this.#looks.isUp(name) && [...(members.get(name)?.values() ?? [])].some((held) => held.objects.length > 0),
    );
  }

  /**
   * A plan may take clusters out of service only as long as maxUnavailable leaves the others in it. In service is what holds all
   * that it was told to, and has it available; what others broke, and what nobody has brought yet, is not, whoever is to blame.
   * Rollouts do not answer for what an eviction took in the same plan.
   */
  #keepsAvailable(asked: Asked, before: PlanResult, after: PlanResult): void {
    const looks = this.#looks;
    const evicted = new Set(
      looks
        .decided(before, after)
        .filter(isExecuted)
        .map(({ clusterName }) => clusterName),
    );
    const served = looks.available(before);
    const serving = looks.available(after);
    const taken = served.difference(serving).difference(evicted);
    if (taken.size === 0) return;
    const left = serving.union(this.#compared).union(evicted.intersection(served));
    const total = asked.wanted ?? clustersPicked(looks.bindings(after));
    const of = `${this.#key} on ${[...taken].join(', ')} was taken out of service, which left ${[...left].join(', ')} of ${total}`;
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
  #keepsToSurge(asked: Asked, before: PlanResult, after: PlanResult): ReadonlySet<ClusterName> {
    const looks = this.#looks;
    const bindings = looks.bindings(after);
    const serving = looks.serving(before);
    const had = new Set(
      bindings
        .filter(({ move, state }) => move !== 'add' && state !== 'Scheduled')
        .map(({ clusterName }) => clusterName),
    );
    const counts = (cluster: ClusterName): boolean => {
      const target = looks.target(before, cluster);
      if (target?.remove) return this.#counted.has(cluster);
      const isOnItsWay = target?.digest !== undefined && looks.held(cluster)?.digest !== target.digest;
      return isOnItsWay || serving.has(cluster);
    };
    const counted = new Set(looks.members.filter((cluster) => had.has(cluster) && counts(cluster)));
    const added = bindings.filter(({ move, clusterName }) => move === 'add' && !had.has(clusterName));
    if (added.length === 0) return counted;
    const total = asked.wanted ?? clustersPicked(bindings);
    const names = added.map(({ clusterName }) => clusterName).join(', ');
    const of = `${this.#key} came to ${names} while ${[...counted].join(', ')} had it, of ${total}`;
    expect(added.length + counted.size, of).toBeLessThanOrEqual(total + scaledUp(asked.maxSurge, total));
    return counted;
  }
}

/** Of PickAll, also those that are on their way out again; one that is picked anew counts once. */
export const clustersPicked = (bindings: readonly PlannedBinding[]): number =>
  new Set(bindings.filter(({ state }) => state !== 'Unscheduled').map(({ clusterName }) => clusterName)).size;
