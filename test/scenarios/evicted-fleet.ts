import fc from 'fast-check';
import { expect } from 'vitest';
import type { PlanResult } from '../../src/engine/plan.ts';
import type { PlannedEviction } from '../../src/engine/plan-document.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { happened } from './happenings.ts';
import { isExecuted, LastLooks, scaledUp } from './last-looks.ts';
import { disruptionBudget, eviction } from './texts.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

const kinds = [
  ...([
    'evict',
    'evict',
    'evict',
    'evict',
    'drain',
    'uncordon',
    'budget',
    'budget',
    'deliverAll',
    'deliverAll',
  ] as const),
  ...([
    'deliver',
    'deliverAll',
    'deliverAll',
    'break',
    'mend',
    'down',
    'up',
    'drift',
    'version',
    'resize',
    'join',
  ] as const),
  ...(['leave', 'freeze', 'thaw', 'restart'] as const),
];

const quantity = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('0%', '34%', '50%', '100%'));
const none = fc.constant(null);
/** One that asks for both, or for neither, is no licence. */
const budgets = fc.oneof(
  { weight: 4, arbitrary: fc.record({ minAvailable: quantity, maxUnavailable: none }) },
  { weight: 4, arbitrary: fc.record({ minAvailable: none, maxUnavailable: quantity }) },
  { weight: 1, arbitrary: fc.record({ minAvailable: fc.option(quantity), maxUnavailable: fc.option(quantity) }) },
);
type Budget = typeof budgets extends fc.Arbitrary<infer T> ? T : never;

const happening = fc.record({
  kind: fc.constantFrom(...kinds),
  at: fc.nat(4),
  amount: fc.nat(400),
  budget: fc.option(budgets, { freq: 6 }),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

export const evictedStories = fc.record({
  policy: fc.constantFrom('PickAll' as const, 'PickN' as const),
  budget: fc.option(budgets, { freq: 6 }),
  happenings: fc.array(happening, { minLength: 4, maxLength: 20 }),
});

type Story = typeof evictedStories extends fc.Arbitrary<infer T> ? T : never;

/** A placement that clusters are evicted from, and what is known of it without asking the engine. */
export class EvictedFleet {
  readonly paper: PaperFleet;
  readonly #policy: Story['policy'];
  readonly #looks: LastLooks;
  #before: PlanResult | undefined;
  #wanted = 3;
  #budget: Budget | undefined;
  #version = 1;
  #evictions = 0;

  constructor({ policy, budget }: Omit<Story, 'happenings'>) {
    this.#policy = policy;
    this.paper = new PaperFleet({
      ...Object.fromEntries(names.slice(0, 4).map((name) => [`clusters/${name}.yaml`, member(name)])),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
    });
    this.#place();
    this.#ask(budget);
    this.#looks = new LastLooks(this.paper, 'web');
  }

  #place(): void {
    const policy =
      this.#policy === 'PickAll'
        ? '{placementType: PickAll}'
        : `{placementType: PickN, numberOfClusters: ${this.#wanted}}`;
    this.paper.files['web.yaml'] = placement('web', policy);
  }

  #ask(budget: Budget | null): void {
    this.#budget = budget ?? undefined;
    if (budget) this.paper.files['budget.yaml'] = budgetFile(budget);
    else delete this.paper.files['budget.yaml'];
  }

  happens(event: Happening): void {
    this.#happen(event);
    this.paper.pass(1);
  }

  #happen({ kind, at, amount, budget }: Happening): void {
    const { files } = this.paper;
    const cluster = names[at]!;
    switch (kind) {
      case 'evict':
        // Some at once: each must see what those before it took.
        for (const [place, name] of names.entries())
          if (name === cluster || (amount >> place) % 4 === 0) this.#evict(name);
        return;
      case 'drain':
        happened(this.paper, 'taint', { cluster, app: 'web', amount });
        this.#evict(cluster);
        return;
      case 'budget':
        this.#ask(budget);
        return;
      case 'version':
        this.#version += 1;
        files['resources/web.yaml'] = deployment('web', 'web', `web:${this.#version}`);
        return;
      case 'resize':
        this.#wanted = 1 + (amount % 4);
        this.#place();
        return;
      default:
        happened(this.paper, kind, { cluster, app: 'web', amount });
    }
  }

  #evict(cluster: string): void {
    this.#evictions += 1;
    this.paper.files[`evict-${this.#evictions}.yaml`] = eviction(`e${this.#evictions}`, 'web', cluster);
  }

  /** Plans, and holds the evictions that the plan decided on against the budget. */
  async look(): Promise<void> {
    await this.paper.plan();
    this.#looks.look();
    const [before, after] = [this.#before, this.paper.last!];
    this.#before = after;
    if (!before) return;
    const reported = new Map(after.plan.evictions.map(({ name, status }) => [name, status]));
    for (const { name, status } of before.plan.evictions)
      if (status.conditions.length > 0) expect(reported.get(name), `${name} is done once`).toEqual(status);
    const decided = this.#looks.decided(before, after);
    if ('fleet.yaml' in this.paper.files) expect(decided, 'decided in a freeze').toEqual([]);
    const served = this.#looks.serving(before);
    const disturbing = decided.filter((it) => served.has(it.clusterName) && !wasLeaving(it));
    this.#leavesEnough(disturbing.filter(isExecuted), before, after);
    this.#refusesForCause(
      disturbing.filter((it) => !isExecuted(it)),
      before,
      after,
    );
  }

  #leavesEnough(executed: readonly PlannedEviction[], before: PlanResult, after: PlanResult): void {
    if (executed.length === 0) return;
    const left = this.#looks.serving(after);
    const clusters = executed.map(({ clusterName }) => clusterName);
    // What is picked instead of what was evicted has no part in it.
    const total = this.#looks.members.reduce((sum, name) => {
      const [earlier, now] = [before, after].map((result) => this.#bound(result).filter((it) => it === name).length);
      return sum + Math.min(earlier!, now! + clusters.filter((it) => it === name).length);
    }, 0);
    const of = `evicted from ${clusters.join(', ')}, which left ${[...left].join(', ')}`;
    expect(this.#room(total, left.size), of).toBeGreaterThanOrEqual(0);
  }

  /** What is available and is to stay so may be refused only where the budget leaves no room, as far as everything is known. */
  #refusesForCause(refused: readonly PlannedEviction[], before: PlanResult, after: PlanResult): void {
    const looks = this.#looks;
    if (looks.members.some((name) => !looks.isUp(name) || looks.held(name)?.forgotten)) return;
    const isSame = (name: string): boolean => looks.target(before, name)?.digest === looks.target(after, name)?.digest;
    const stayed = new Set([...looks.serving(before).intersection(looks.serving(after))].filter(isSame));
    const clusters = refused.map(({ clusterName }) => clusterName).filter((name) => stayed.has(name));
    if (clusters.length === 0) return;
    const bound = Math.max(this.#bound(before).length, this.#bound(after).length);
    const of = `not evicted from ${clusters.join(', ')}, where ${[...stayed].join(', ')} stayed`;
    expect(this.#room(bound, stayed.size), of).toBeLessThanOrEqual(0);
  }

  /** Clusters by the bindings that a plan has: two of one cluster, one of which is on its way out, both count. */
  #bound(result: PlanResult): readonly string[] {
    return this.#looks.bindings(result).map(({ clusterName }) => clusterName);
  }

  /** How many more may become unavailable (KubeFleet clusterresourceplacementeviction/controller.go). */
  #room(total: number, available: number): number {
    if (!this.#budget) return available;
    const { minAvailable, maxUnavailable } = this.#budget;
    const isAll = this.#policy === 'PickAll';
    const desired = isAll ? 0 : this.#wanted;
    if (minAvailable !== null && maxUnavailable === null && !(isAll && typeof minAvailable === 'string'))
      return available - scaledUp(minAvailable, desired);
    if (maxUnavailable !== null && minAvailable === null && !isAll)
      return scaledUp(maxUnavailable, desired) - (total - available);
    return Number.NEGATIVE_INFINITY;
  }
}

/** KubeFleet's words for what was on its way out of the cluster before the eviction was looked at. */
const wasLeaving = ({ status }: PlannedEviction): boolean =>
  status.conditions.some(({ message }) => message?.includes('is currently being removed'));

const budgetFile = ({ minAvailable, maxUnavailable }: Budget): string => {
  const asked = Object.entries({ minAvailable, maxUnavailable }).filter(([, value]) => value !== null);
  return disruptionBudget('web', JSON.stringify(Object.fromEntries(asked)));
};
