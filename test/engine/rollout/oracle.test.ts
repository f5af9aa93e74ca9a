import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlacementPolicy, RollingUpdate } from '../../../src/api/placement.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import type { PlacementWork } from '../../../src/engine/placement-work.ts';
import { drawn } from '../../support/law-runs.ts';
import { pickBindingsToRoll } from './oracle.ts';
import {
  bound,
  type Health,
  health,
  placementOf,
  replanned,
  roll,
  scheduled,
  T0,
  unscheduled,
  untrackable,
  wakesOf,
  workOf,
} from './world.ts';

const conditions = fc.oneof(
  fc.constantFrom(...(Object.keys(health) as Health[])).map((word) => [...health[word]]),
  fc.constantFrom(-120, -61, -60, -59, -1, 0).map(untrackable),
);
const quantity = fc.oneof(
  fc.integer({ min: 0, max: 6 }),
  fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
);

const bindingNamed = (name: string): fc.Arbitrary<Binding> =>
  fc.oneof(
    fc
      .record({ index: fc.constantFrom(0, 1), is: conditions, deleting: fc.boolean(), seldom: fc.nat(3) })
      .map(
        ({ index, is, deleting, seldom }): Binding =>
          bound(name, index, is, deleting && seldom === 0 ? { deleting: true } : {}),
      ),
    fc
      .record({ is: conditions, deleting: fc.boolean() })
      .map(({ is, deleting }): Binding => unscheduled(name, is, deleting ? { deleting } : {})),
    fc.constant(scheduled(name)),
  );

interface Case {
  readonly work: PlacementWork;
  readonly policy: PlacementPolicy;
  readonly rolling: RollingUpdate;
}

const cases: fc.Arbitrary<Case> = fc
  .integer({ min: 0, max: 9 })
  .chain((size) =>
    fc.record({
      bindings: fc.tuple(...Array.from({ length: size }, (_, at) => bindingNamed(`c-${at}`))),
      kind: fc.constantFrom('PickAll' as const, 'PickN' as const, 'PickFixed' as const),
      wanted: fc.integer({ min: 0, max: 10 }),
      maxUnavailable: quantity,
      maxSurge: quantity,
      unavailablePeriodSeconds: fc.constantFrom(0, 60),
    }),
  )
  .map(({ bindings, kind, wanted, ...rolling }) => {
    const policy: PlacementPolicy =
      kind === 'PickN'
        ? { placementType: kind, numberOfClusters: wanted }
        : kind === 'PickFixed'
          ? // An emptied list lets go of everything (docs/compatibility.md); KubeFleet's scheduler never gets that far.
            { placementType: kind, clusterNames: Array.from({ length: wanted || 1 }, (_, at) => `c-${at}`) }
          : { placementType: kind };
    return { work: workOf(placementOf(policy, rolling), bindings), policy, rolling };
  });

/** Picks by the oracle, writes by hand, again and again: what KubeFleet would have done a moment later. */
function rolledByHand({ work, policy, rolling }: Case): Binding[] {
  let bindings = work.bindings.map(({ binding }) => binding);
  for (;;) {
    const picked = pickBindingsToRoll({
      bindings,
      latest: 1,
      target:
        policy.placementType === 'PickN'
          ? (policy.numberOfClusters ?? 0)
          : policy.placementType === 'PickFixed'
            ? (policy.clusterNames?.length ?? 0)
            : bindings.filter(({ state }) => state !== 'Unscheduled').length,
      ...rolling,
      cutOff: Date.parse(T0) - rolling.unavailablePeriodSeconds * 1000,
    });
    if (picked.length === 0) return bindings;
    bindings = bindings.map((binding) => {
      if (!picked.includes(binding.targetCluster)) return binding;
      if (binding.state === 'Unscheduled') return { ...binding, deleting: true };
      return { ...binding, state: 'Bound', resourceSnapshotIndex: 1, conditions: [] };
    });
  }
}

const outline = (bindings: readonly Binding[]) =>
  bindings.map(({ targetCluster, state, deleting, resourceSnapshotIndex }) => ({
    targetCluster,
    state,
    deleting: deleting ?? false,
    resourceSnapshotIndex,
  }));

describe('a rolling update', () => {
  it('moves what the naive controller moves, selection after selection', () => {
    fc.assert(
      fc.property(cases, (it) => {
        expect(outline(roll(it.work).bindings.map(({ binding }) => binding))).toEqual(outline(rolledByHand(it)));
      }),
      drawn(3000),
    );
  });
  it('starts with what the naive controller selects first', () => {
    fc.assert(
      fc.property(cases, (it) => {
        const { work, policy, rolling } = it;
        const bindings = work.bindings.map(({ binding }) => binding);
        const first = pickBindingsToRoll({
          bindings,
          latest: 1,
          target:
            policy.numberOfClusters ??
            policy.clusterNames?.length ??
            bindings.filter(({ state }) => state !== 'Unscheduled').length,
          ...rolling,
          cutOff: Date.parse(T0) - rolling.unavailablePeriodSeconds * 1000,
        });
        const moved = roll(work).bindings.filter(
          ({ move, binding }) => move === 'add' || move === 'update' || (move === 'remove' && !isGoing(work, binding)),
        );
        expect(moved.map(({ binding }) => binding.targetCluster)).toEqual(expect.arrayContaining(first));
      }),
      drawn(1000),
    );
  });
  it('changes nothing when it is planned again with nothing changed', () => {
    fc.assert(
      fc.property(cases, ({ work }) => {
        const once = roll(work);
        const twice = roll(replanned(once));
        expect(twice.bindings.map(({ binding }) => binding)).toEqual(once.bindings.map(({ binding }) => binding));
        expect(twice.holds).toEqual(once.holds);
        expect(wakesOf(twice)).toEqual(wakesOf(once));
      }),
      drawn(2000),
    );
  });
  it('moves at the instant it names, when time alone has passed, and not before', () => {
    fc.assert(
      fc.property(cases, ({ work }) => {
        const [wake] = wakesOf(roll(work));
        if (wake === undefined) return;
        const rest = replanned(roll(work));
        const later = (ms: number) => roll(rest, { now: new Date(Date.parse(wake) + ms).toISOString() });
        const changed = (next: PlacementWork) =>
          next.bindings.some(
            ({ move, binding }) => move === 'update' || (move === 'remove' && !isGoing(rest, binding)),
          );
        expect(changed(later(-1))).toBe(false);
        expect(changed(later(1))).toBe(true);
      }),
      drawn(2000),
    );
  });
});

const isGoing = (work: PlacementWork, { targetCluster }: Binding): boolean =>
  work.bindings.some(({ binding }) => binding.targetCluster === targetCluster && binding.deleting === true);
