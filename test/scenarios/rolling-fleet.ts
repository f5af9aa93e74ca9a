import fc from 'fast-check';
import { placementKey } from '../../src/api/placement.ts';
import type { Plan, PlannedBinding, PlannedPlacement } from '../../src/engine/plan-document.ts';
import { changes, deployment, member, placement } from '../support/paper-fleet.ts';
import { happened } from './happenings.ts';
import { OwningFleet } from './owning-fleet.ts';
import { type App, apps, placementFile } from './rolling-files.ts';
import { type Asked, RollingWatch } from './rolling-watch.ts';
import { disruptionBudget, eviction, override } from './texts.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const kinds = [
  ...(['version', 'version', 'version', 'override', 'relabel', 'resize', 'resize', 'list', 'list', 'list'] as const),
  ...(['apply', 'history', 'budget', 'break', 'mend', 'down', 'up', 'deliver', 'deliver', 'pass', 'drift'] as const),
  ...(['deliverAll', 'deliverAll', 'deliverAll', 'delete', 'recreate', 'evict', 'drain', 'uncordon'] as const),
  ...(['join', 'leave', 'freeze', 'thaw', 'restart', 'forgetOne', 'forgetAll'] as const),
];

const quantity = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('1%', '34%', '100%'));

const given = fc.record({
  policy: fc.constantFrom('PickAll' as const, 'PickN' as const, 'PickFixed' as const),
  maxUnavailable: quantity,
  maxSurge: quantity,
  twin: fc.boolean(),
  twinStays: fc.boolean(),
  team: fc.boolean(),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const happening = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(4), amount: fc.nat(400) });
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

export const rollingStories = fc.record({
  given,
  happenings: fc.array(happening, { minLength: 4, maxLength: 24 }),
});

const applyStrategies = ['{}', '{whenToApply: IfNotDrifted}', '{type: ReportDiff}', '{whenToTakeOver: Never}'] as const;

interface Budget {
  readonly minAvailable: number;
  /** Also binds rollouts. */
  readonly inRollouts: boolean;
}

export class RollingFleet {
  readonly paper: OwningFleet;
  readonly #given: Given;
  readonly #apps: readonly App[];
  #mayBeDown: number | string;
  #wanted = 3;
  #listed: readonly string[] = ['a', 'b', 'c'];
  #history = 10;
  /** Of `web`. */
  #budget: Budget | undefined;
  #version = 1;
  #evictions = 0;
  #forgot = false;
  /** Clusters that left at some time. */
  readonly #left = new Set<string>();
  /** What was lost of the record after the last plan. */
  #justForgot: 'forgetOne' | 'forgetAll' | undefined;
  readonly #apply = new Map<App, string>();
  readonly #watches: ReadonlyMap<App, RollingWatch>;

  constructor(given: Given) {
    this.#given = given;
    this.#mayBeDown = given.maxUnavailable;
    this.#apps = apps.filter((app) => app === 'web' || (app === 'twin' ? given.twin : given.team));
    this.paper = new OwningFleet({
      ...Object.fromEntries(names.slice(0, 4).map((name) => [`clusters/${name}.yaml`, member(name)])),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'resources/app.yaml': deployment('app', 'team', 'app:1'),
      'resources/other.yaml': deployment('other', 'other', 'other:1'),
      'other.yaml': placement('other', '{placementType: PickAll}'),
    });
    for (const app of this.#apps) this.#place(app);
    this.#watches = new Map(
      this.#apps.map((app) => [app, new RollingWatch(this.paper, app === 'app' ? 'team.app' : app)]),
    );
  }

  #place(app: App): void {
    const rollingUpdate = app === 'twin' ? {} : { maxUnavailable: this.#mayBeDown, maxSurge: this.#given.maxSurge };
    const apply = this.#apply.get(app) ?? '{}';
    this.paper.files[`${app}.yaml`] = placementFile(app, {
      policy: app === 'web' || app === 'app' ? this.#picks() : '{placementType: PickAll}',
      strategy: `{type: RollingUpdate, rollingUpdate: ${JSON.stringify(rollingUpdate)}, applyStrategy: ${apply}}`,
      history: this.#history,
    });
  }

  #picks(): string {
    const picks = {
      PickAll: '{placementType: PickAll}',
      PickN: `{placementType: PickN, numberOfClusters: ${this.#wanted}}`,
      PickFixed: `{placementType: PickFixed, clusterNames: [${this.#listed.join(', ')}]}`,
    };
    return picks[this.#given.policy];
  }

  happens(event: Happening): void {
    this.#happen(event);
    this.paper.pass(1);
  }

  #happen({ kind, at, amount }: Happening): void {
    const { paper } = this;
    const { files } = paper;
    const cluster = names[at]!;
    const file = `clusters/${cluster}.yaml`;
    const wasMember = file in files;
    const app = this.#apps[amount % this.#apps.length]!;
    const replace = () => {
      for (const each of this.#apps) if (`${each}.yaml` in files) this.#place(each);
    };
    switch (kind) {
      case 'version':
        this.#version += 1;
        if (amount % 3 === 0) files['resources/app.yaml'] = deployment('app', 'team', `app:${this.#version}`);
        else files['resources/web.yaml'] = deployment('web', 'web', `web:${this.#version}`) + (amount % 2 ? extra : '');
        return;
      case 'override':
        files['override.yaml'] = override('web', 'size: big', amount % 3);
        return;
      case 'resize':
        this.#wanted = 1 + (amount % 5);
        replace();
        return;
      case 'list':
        this.#listed = names.filter((_, place) => (amount >> place) % 2 === 1);
        replace();
        return;
      case 'apply':
        this.#apply.set(app, applyStrategies[amount % applyStrategies.length]!);
        replace();
        return;
      case 'history':
        this.#history = amount % 2 === 0 ? 1 : 10;
        replace();
        return;
      case 'budget':
        this.#budget = amount % 4 === 0 ? undefined : { minAvailable: amount % 5, inRollouts: amount % 3 > 0 };
        if (this.#budget) {
          const { minAvailable, inRollouts } = this.#budget;
          files['budget.yaml'] = disruptionBudget('web', `{minAvailable: ${minAvailable}}`, inRollouts);
        } else delete files['budget.yaml'];
        return;
      case 'delete':
        delete files[`${app}.yaml`];
        return;
      case 'recreate':
        this.#place(app);
        return;
      case 'evict':
        this.#evict(app, cluster);
        return;
      case 'drain':
        happened(paper, 'taint', { cluster, app, amount });
        for (const each of this.#apps) this.#evict(each, cluster);
        return;
      default:
        if (kind === 'forgetOne' || kind === 'forgetAll') this.#justForgot = kind;
        this.#forgot ||= this.#justForgot !== undefined;
        happened(paper, kind, { cluster, app: amount % 2 === 0 ? 'web' : 'team.app', amount });
        if (wasMember && !(file in files)) this.#left.add(cluster);
    }
  }

  #evict(app: App, cluster: string): void {
    if (app === 'app') return;
    this.#evictions += 1;
    this.paper.files[`evict-${this.#evictions}.yaml`] = eviction(`e${this.#evictions}`, app, cluster);
  }

  /** Plans, and holds the plan against what happened. */
  async look(): Promise<Plan> {
    const plan = await this.paper.plan();
    for (const [app, watch] of this.#watches)
      watch.planned(`${app}.yaml` in this.paper.files ? this.#asked(app) : undefined, this.#justForgot);
    this.#justForgot = undefined;
    return plan;
  }

  #asked(app: App): Asked {
    const { policy, maxSurge } = this.#given;
    const wanted = { PickAll: undefined, PickN: this.#wanted, PickFixed: this.#listed.length };
    return {
      wanted: app === 'web' || app === 'app' ? wanted[policy] : undefined,
      ...(app === 'twin' ? { maxUnavailable: '25%', maxSurge: '25%' } : { maxUnavailable: this.#mayBeDown, maxSurge }),
      minAvailable: app === 'web' && this.#budget?.inRollouts ? this.#budget.minAvailable : undefined,
      onlyCompares: this.#apply.get(app) === '{type: ReportDiff}',
    };
  }

  /** From here on everything works, and everything is asked for that can be given. */
  mendAll(): void {
    const { paper } = this;
    const { files } = paper;
    for (const path of ['fleet.yaml', 'budget.yaml']) delete files[path];
    this.#budget = undefined;
    const clusters = names.filter((name) => `clusters/${name}.yaml` in files);
    for (const name of clusters) files[`clusters/${name}.yaml`] = member(name);
    this.#wanted = Math.min(this.#wanted, clusters.length);
    this.#listed = this.#listed.filter((name) => clusters.includes(name));
    this.#apply.clear();
    // Nothing healthy moves in place while nothing may be unavailable.
    if (['0', '0%'].includes(String(this.#mayBeDown))) this.#mayBeDown = 1;
    for (const app of this.#apps) this.#place(app);
    // Two that ask for the same thing: one of them gives it up.
    if (this.#given.twin) delete files[this.#given.twinStays ? 'web.yaml' : 'twin.yaml'];
    paper.broken.clear();
    paper.down.clear();
    paper.refresh();
  }

  /** What is not as it was asked for though nothing is in its way. */
  async unsettled(): Promise<string[]> {
    const { paper } = this;
    let plan = await this.look();
    const left = () => [
      ...plan.placements.flatMap((placement) => this.#unsettledOf(placement, plan)),
      ...this.#leftBehind(plan),
    ];
    for (let calm = 0, still = 0; still < 2 || (left().length > 0 && calm < 40 && still < 5); calm++) {
      const before = paper.record;
      paper.deliver();
      paper.pass(61);
      plan = await this.look();
      still = Object.keys(changes(before, paper.record)).length === 0 ? still + 1 : 0;
    }
    return left();
  }

  /**
   * What members hold of placements that are not there, or not on them. What a cluster held when it left the fleet is its own to keep
   * (docs/compatibility.md), also when it returns.
   */
  #leftBehind({ placements }: Plan): string[] {
    // What nobody remembers may be another fleet's and is left alone (docs/compatibility.md, When the record is lost).
    if (this.#forgot) return [];
    const bound = new Set(
      placements.flatMap((of) => of.bindings.map(({ clusterName }) => `${clusterName} ${placementKey(of)}`)),
    );
    return [...this.paper.members].flatMap(([cluster, placed]) =>
      `clusters/${cluster}.yaml` in this.paper.files && !this.#left.has(cluster)
        ? [...placed]
            .filter(([key, { objects }]) => objects.length > 0 && !bound.has(`${cluster} ${key}`))
            .map(([key]) => `${cluster} still holds ${key}`)
        : [],
    );
  }

  #unsettledOf(planned: PlannedPlacement, plan: Plan): string[] {
    const key = placementKey(planned);
    const isRight = (binding: PlannedBinding): boolean =>
      binding.move === 'keep' &&
      binding.resourceSnapshotIndex === planned.resourceSnapshotIndex &&
      isIn(binding, 'Available');
    const wrong = planned.bindings.filter((binding) => !isRight(binding));
    return wrong.map(
      ({ clusterName, move, state, resourceSnapshotIndex }) =>
        `${key} on ${clusterName}: ${move} ${state} ${resourceSnapshotIndex}/${planned.resourceSnapshotIndex}; ${plan.holds
          .filter(
            ({ subject }) => subject.name === planned.name && (subject.clusterName ?? clusterName) === clusterName,
          )
          .map(({ reason, message }) => `${reason} ${message}`)
          .join('; ')}`,
    );
  }
}

const isIn = ({ conditions }: PlannedBinding, type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

const extra = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: web}\ndata: {a: b}\n';
