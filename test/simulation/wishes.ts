import type { App, Desired } from './desired.ts';
import { type GateWish, gateWish } from './gates.ts';

/** What people asked of an app besides its content. */
export type Wish = Pick<App, 'suspended' | 'apply' | 'budget'>;

/** What was asked in which commit. */
export class Wishes {
  readonly #at = new Map<string, ReadonlyMap<string, Wish>>();

  readonly #there = new Map<string, ReadonlySet<string>>();

  readonly #members = new Map<string, ReadonlySet<string>>();
  /** Commits with a file that cannot be read. */
  readonly #unreadable = new Set<string>();
  readonly #gates = new Map<string, GateWish | undefined>();

  note(commit: string, desired: Desired): void {
    const { apps, broken, clusters } = desired;
    this.#gates.set(commit, gateWish(desired));
    this.#there.set(commit, new Set(apps.keys()));
    this.#members.set(commit, new Set(clusters.keys()));
    const isBroken = (app: string): boolean =>
      broken.has(`placements/${app}.yaml`) || broken.has(`resources/${app}.yaml`);
    if ([...apps.keys()].some(isBroken)) this.#unreadable.add(commit);
    // Where its file is broken an older version is in effect, and it is unknown here which.
    const told = [...apps.values()].filter(({ name }) => !broken.has(`placements/${name}.yaml`));
    this.#at.set(
      commit,
      new Map(told.map(({ name, suspended, apply, budget }) => [name, { suspended, apply, budget }])),
    );
  }

  /** Whether there was such an app at all. */
  isThere(commit: string | undefined, app: string): boolean {
    return commit !== undefined && this.#there.get(commit)?.has(app) === true;
  }

  /**
   * Whether a cluster was in the fleet, or has to be taken for that: a file that cannot be read may be its own, so while there
   * is one nobody leaves who was told to be in the fleet.
   */
  isMember(commit: string | undefined, cluster: string, told: ReadonlySet<string>): boolean {
    if (commit === undefined) return false;
    return this.#members.get(commit)?.has(cluster) === true || (this.#unreadable.has(commit) && told.has(cluster));
  }

  /** Undefined where no such things are drawn. */
  gates(commit: string | undefined): GateWish | undefined {
    return commit === undefined ? undefined : this.#gates.get(commit);
  }

  at(commit: string | undefined, app: string): Wish | undefined {
    return commit === undefined ? undefined : this.#at.get(commit)?.get(app);
  }
}
