import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/engine/plan-document.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { drawn } from '../support/law-runs.ts';
import { deployment, member, PaperFleet, placement, treeOf } from '../support/paper-fleet.ts';
import { happened } from './happenings.ts';
import { scaledUp } from './last-looks.ts';
import { clustersPicked, RollingWatch } from './rolling-watch.ts';
import { eviction, override } from './texts.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

/** Something that happens between two plans; `at` chooses the cluster. */
const event = fc.record({
  kind: fc.constantFrom(
    ...(['version', 'break', 'mend', 'down', 'up', 'deliver', 'deliverAll', 'pass', 'relabel', 'override'] as const),
    ...(['resize', 'joinFifth', 'taint', 'evict', 'drift', 'freeze', 'thaw', 'settle'] as const),
  ),
  at: fc.nat(4),
  amount: fc.nat(100),
});
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const quantity = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('1%', '34%', '100%'));

interface Case {
  readonly policy: 'PickAll' | 'PickN';
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly crd: boolean;
  readonly events: readonly Event[];
}

const cases: fc.Arbitrary<Case> = fc.record({
  policy: fc.constantFrom('PickAll', 'PickN'),
  maxUnavailable: quantity,
  maxSurge: quantity,
  crd: fc.boolean(),
  events: fc.array(event, { minLength: 3, maxLength: 14 }),
});

class World {
  readonly paper: PaperFleet;
  readonly given: Case;
  #version = 1;
  #evictions = 0;
  #wanted = 3;
  readonly #watch: RollingWatch;

  constructor(given: Case) {
    this.given = given;
    this.paper = new PaperFleet({
      ...Object.fromEntries(names.slice(0, 4).map((name) => [`clusters/${name}.yaml`, member(name)])),
      'resources/web.yaml': deployment('web', 'web', 'web:1') + (given.crd ? untrackable : ''),
      ...(given.crd ? { 'resources/crd.yaml': crd } : {}),
    });
    this.#place();
    this.#watch = new RollingWatch(this.paper, 'web');
  }

  #place(): void {
    const { policy, maxUnavailable, maxSurge } = this.given;
    this.paper.files['web.yaml'] = placement(
      'web',
      policy === 'PickAll' ? '{placementType: PickAll}' : `{placementType: PickN, numberOfClusters: ${this.#wanted}}`,
      `{type: RollingUpdate, rollingUpdate: ${JSON.stringify({ maxUnavailable, maxSurge })}}`,
    );
  }

  happens(event: Event): void {
    this.#happen(event);
    this.paper.pass(1);
  }

  #happen({ kind, at, amount }: Event): void {
    const { paper } = this;
    const cluster = names[at]!;
    if (happened(paper, kind, { cluster, app: 'web', amount })) return;
    switch (kind) {
      case 'version':
        this.#version += 1;
        paper.files['resources/web.yaml'] =
          deployment('web', 'web', `web:${this.#version}`) + (this.given.crd ? untrackable : '');
        break;
      case 'override':
        paper.files['override.yaml'] = override('web', 'size: big', amount % 3);
        break;
      case 'resize':
        this.#wanted = 1 + (amount % 5);
        this.#place();
        break;
      case 'joinFifth':
        paper.files['clusters/e.yaml'] ??= member('e');
        break;
      case 'evict':
        this.#evictions += 1;
        paper.files[`evict-${this.#evictions}.yaml`] = eviction(`e${this.#evictions}`, 'web', cluster);
        break;
      case 'settle':
        paper.settled.add(`${cluster}/web`);
        break;
    }
  }

  /** Plans, and holds the plan against what happened. */
  async look(): Promise<Plan> {
    const plan = await this.paper.plan();
    const { policy, maxUnavailable, maxSurge } = this.given;
    const wanted = policy === 'PickN' ? this.#wanted : undefined;
    this.#watch.planned({ wanted, maxUnavailable, maxSurge });
    return plan;
  }

  /** How many clusters must be there for anything healthy to move; undefined where none may be unavailable. */
  needed(plan: Plan): number | undefined {
    const { policy, maxUnavailable } = this.given;
    const total = policy === 'PickN' ? this.#wanted : clustersPicked(plan.placements[0]!.bindings);
    const unavailable = scaledUp(maxUnavailable, total);
    return unavailable === 0 ? undefined : total - unavailable + 1;
  }
}

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec: {group: acme.io, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}]}
`;
const untrackable = '---\napiVersion: acme.io/v1\nkind: Widget\nmetadata: {name: one, namespace: web}\n';

const happenings = (...kinds: readonly [Event['kind'], number][]): Event[] =>
  kinds.map(([kind, amount]) => ({ kind, at: 1, amount }));

/** A freeze ends in the plan that carries out an eviction and updates the first cluster, both of which waited for it. */
const evictedAtTheThaw: Case = {
  policy: 'PickAll',
  maxUnavailable: '1%',
  maxSurge: '1%',
  crd: false,
  events: happenings(['freeze', 0], ['deliverAll', 0], ['evict', 0], ['version', 0], ['thaw', 0]),
};

/** A cluster is evicted and picked again, and objects of others keep the namespace. */
const evictedAmongOthers: Case = {
  policy: 'PickAll',
  maxUnavailable: '1%',
  maxSurge: 0,
  crd: false,
  events: happenings(['deliverAll', 0], ['settle', 0], ['evict', 0], ['deliverAll', 0]),
};

/** A cluster is picked again while it is being cleaned up, and dropped before anything came. */
const droppedTwice: Case = {
  policy: 'PickN',
  maxUnavailable: '1%',
  maxSurge: '1%',
  crd: false,
  events: happenings(['deliverAll', 0], ['resize', 0], ['resize', 42], ['version', 0], ['resize', 26], ['version', 0]),
};

/** Everything is told to run the latest, and does. */
const isDone = ({ placements: [web] }: Plan): boolean =>
  web!.bindings.every(
    ({ move, resourceSnapshotIndex, conditions }) =>
      move === 'keep' &&
      resourceSnapshotIndex === web!.resourceSnapshotIndex &&
      conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
  );

describe('whatever happens, in any order', () => {
  // PaperFleet.plan itself asserts that the guard passes and that planning again at once changes nothing.
  it('no more healthy clusters are disturbed than the budget leaves, and in the end all run the latest', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const world = new World(given);
        const { paper } = world;
        await world.look();
        for (const happening of given.events) {
          world.happens(happening);
          await world.look();
        }
        delete paper.files['fleet.yaml'];
        paper.broken.clear();
        paper.down.clear();
        paper.refresh();
        let last = await world.look();
        // Where the placement is to stay, what others put into its namespace is in nobody's way.
        const picked = new Set(last.placements[0]!.decisions.flatMap((it) => (it.selected ? it.clusterName : [])));
        for (const name of names) if (!picked.has(name)) paper.settled.delete(`${name}/web`);
        for (let calm = 0; calm < 30 && !isDone(last); calm++) {
          paper.deliver();
          paper.pass(61);
          last = await world.look();
        }
        const [web] = last.placements;
        // Nothing healthy moves in place while nothing may be unavailable, and clusters that could not be found are unavailable.
        const needed = world.needed(last);
        if (needed === undefined || needed > web!.bindings.length) return;
        expect(isDone(last)).toBe(true);
      }),
      { ...drawn(40), examples: [[evictedAtTheThaw], [droppedTwice], [evictedAmongOthers]] },
    );
  });

  it('the order of files, of documents in them and of what is remembered does not matter', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.infiniteStream(fc.nat(1000)), async (given, luck) => {
        const world = new World(given);
        const { paper } = world;
        for (const happening of given.events) {
          await paper.plan();
          world.happens(happening);
        }
        const shuffled = <T>(items: Iterable<T>): T[] =>
          [...items]
            .map((item) => ({ item, rank: luck.next().value }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ item }) => item);
        const straight = await loadFleet(treeOf(paper.files));
        const crooked = await loadFleet(treeOf(Object.fromEntries(shuffled(Object.entries(paper.files)))));
        expect(crooked).toEqual(straight);
        expect(readRecord(new Map(shuffled(paper.record)))).toEqual(readRecord(paper.record));
      }),
      drawn(20),
    );
  });
});
