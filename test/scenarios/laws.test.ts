import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/engine/plan-document.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { drawn } from '../drawn.ts';
import { deployment, member, PaperFleet, placement, treeOf } from './fleet.ts';
import { happened } from './happenings.ts';
import { eviction, override, taint } from './texts.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

/** Something that happens between two plans; `at` chooses the cluster. */
const event = fc.record({
  kind: fc.constantFrom(
    ...(['version', 'break', 'mend', 'down', 'up', 'deliver', 'deliverAll', 'pass', 'relabel', 'override'] as const),
    ...(['resize', 'join', 'taint', 'evict', 'drift', 'freeze', 'thaw', 'settle'] as const),
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
  /** Digest of what a member served when it was last seen. */
  readonly #serves = new Map<string, string | undefined>();

  constructor(given: Case) {
    this.given = given;
    this.paper = new PaperFleet({
      ...Object.fromEntries(names.slice(0, 4).map((name) => [`clusters/${name}.yaml`, member(name)])),
      'resources/web.yaml': deployment('web', 'web', 'web:1') + (given.crd ? untrackable : ''),
      ...(given.crd ? { 'resources/crd.yaml': crd } : {}),
    });
    this.#place();
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
    const file = `clusters/${cluster}.yaml`;
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
      case 'join':
        paper.files['clusters/e.yaml'] ??= member('e');
        break;
      case 'taint':
        if (file in paper.files) paper.files[file] = member(cluster, {}, taint);
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

  /** How many clusters the placement asks for. One that was evicted and picked again has two bindings. */
  wanted(plan: Plan): number {
    if (this.given.policy === 'PickN') return this.#wanted;
    const [web] = plan.placements;
    return new Set(web!.bindings.filter(({ state }) => state !== 'Unscheduled').map(({ clusterName }) => clusterName))
      .size;
  }

  /** Members that serve what they were told to, as far as anybody can know: those that are down as they were last seen. */
  serving(before: Plan): Set<string> {
    const { paper } = this;
    for (const [cluster, placements] of paper.members) {
      if (paper.down.has(cluster)) continue;
      const held = placements.get('web');
      // Namespace and Deployment, and a Widget where its kind is known.
      const isWhole = held?.objects.length === (this.given.crd ? 3 : 2);
      const isUp = held?.objects.some(
        ({ kind, status }) =>
          kind === 'Deployment' && (status as { availableReplicas: number }).availableReplicas === 2,
      );
      if (isWhole && isUp) this.#serves.set(cluster, held?.digest);
      else this.#serves.delete(cluster);
    }
    return new Set(
      before.targets
        .filter(
          ({ clusterName, digest, remove }) =>
            !remove && digest !== undefined && this.#serves.get(clusterName) === digest,
        )
        .map(({ clusterName }) => clusterName),
    );
  }
}

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec: {group: acme.io, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}]}
`;
const untrackable = '---\napiVersion: acme.io/v1\nkind: Widget\nmetadata: {name: one, namespace: web}\n';

const count = (value: number | string, total: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number(value.slice(0, -1)) * total) / 100);

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

/** One that waits for the end of a freeze has taken nothing away yet. */
const carriedOut = ({ evictions }: Plan): Plan['evictions'] =>
  evictions.filter(({ status }) => status.conditions?.some(({ type }) => type === 'Executed'));

describe('whatever happens, in any order', () => {
  // PaperFleet.plan itself asserts that the guard passes and that planning again at once changes nothing.
  it('no more healthy clusters are disturbed than the budget leaves, and in the end all run the latest', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const world = new World(given);
        const { paper } = world;
        let before = await paper.plan();
        for (const happening of given.events) {
          const evicted = new Set(carriedOut(before).map(({ name }) => name));
          world.happens(happening);
          const serving = world.serving(before);
          const plan = await paper.plan();
          const target = (of: Plan, cluster: string) =>
            JSON.stringify(of.targets.find(({ clusterName }) => clusterName === cluster));
          const removedByHand = new Set(
            carriedOut(plan)
              .filter(({ name }) => !evicted.has(name))
              .map(({ clusterName }) => clusterName),
          );
          const disturbed = [...serving].filter(
            (cluster) => target(before, cluster) !== target(plan, cluster) && !removedByHand.has(cluster),
          );
          const total = world.wanted(plan);
          const room = serving.size - (total - count(given.maxUnavailable, total));
          expect(disturbed.length).toBeLessThanOrEqual(Math.max(room, 0));
          before = plan;
        }
        delete paper.files['fleet.yaml'];
        paper.broken.clear();
        paper.down.clear();
        paper.refresh();
        let last = await paper.plan();
        // Where the placement is to stay, what others put into its namespace is in nobody's way.
        const picked = new Set(last.placements[0]!.decisions.flatMap((it) => (it.selected ? it.clusterName : [])));
        for (const name of names) if (!picked.has(name)) paper.settled.delete(`${name}/web`);
        for (let calm = 0; calm < 30 && !isDone(last); calm++) {
          paper.deliver();
          paper.pass(61);
          last = await paper.plan();
        }
        const [web] = last.placements;
        // Nothing healthy moves in place while nothing may be unavailable, and clusters that could not be found are unavailable.
        const total = world.wanted(last);
        const unavailable = count(given.maxUnavailable, total);
        if (unavailable === 0 || total - unavailable >= web!.bindings.length) return;
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
