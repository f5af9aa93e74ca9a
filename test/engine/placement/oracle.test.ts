import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileFleet } from '../../../src/engine/placement/compiled/compile-fleet.ts';
import { schedule } from '../../../src/engine/placement/schedule.ts';
import { drawn } from '../../support/law-runs.ts';
import { naiveSchedule, type OracleOutcome } from './oracle.ts';
import { allTraits, traitsOf } from './traits.ts';
import { digest, now, type World, worlds, worldsOf } from './worlds.ts';

const membersChanged = () => false;

const run = ({ placement, policySnapshots, bindings, members }: World) =>
  schedule({
    placement,
    state: { policySnapshots, bindings },
    index: compileFleet(members),
    now,
    digest,
    membersChanged,
  });

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const verdict = (world: World, index = compileFleet(world.members)): unknown => {
  const { placement, policySnapshots, bindings } = world;
  const outcome = schedule({ placement, state: { policySnapshots, bindings }, index, now, digest, membersChanged });
  const latest = outcome.policySnapshots.find((entry) => entry.latest)?.index;
  return plain({ bindings: outcome.bindings, decisions: outcome.decisions, status: outcome.scheduled.status, latest });
};
const inShort = ({ bindings, decisions, status, latestIndex }: OracleOutcome): unknown =>
  plain({ bindings, decisions, status, latest: latestIndex });
const naiveVerdict = (world: World): unknown => inShort(naiveSchedule(world));

describe('the scheduler', () => {
  test('decides as the naive scheduler does, byte for byte, in worlds of every kind', () => {
    const met = new Map<string, number>();
    fc.assert(
      fc.property(worlds, (world) => {
        const naive = naiveSchedule(world);
        expect(verdict(world)).toEqual(inShort(naive));
        for (const trait of traitsOf(world, naive)) met.set(trait, (met.get(trait) ?? 0) + 1);
      }),
      drawn(20_000, 20261120),
    );
    const rare = allTraits.filter((trait) => (met.get(trait) ?? 0) < 75);
    expect(rare, `worlds met: ${JSON.stringify(Object.fromEntries(met))}`).toEqual([]);
  });

  test('does so over larger fleets, and when placements share an index', () => {
    fc.assert(
      fc.property(worldsOf(70), worlds, worlds, ({ members }, ...others) => {
        const index = compileFleet(members);
        for (const other of others)
          expect(verdict({ ...other, members }, index)).toEqual(naiveVerdict({ ...other, members }));
      }),
      drawn(1500, 20261123),
    );
  });

  test('changes nothing when it runs on its own result', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const once = run(world);
        const twice = run({ ...world, policySnapshots: once.policySnapshots, bindings: once.bindings });
        expect(twice).toEqual(once);
      }),
      drawn(3000, 20261121),
    );
  });

  test('does not depend on the order of members, bindings or snapshots', () => {
    fc.assert(
      fc.property(worlds, fc.string(), (world, salt) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((item, at) => ({ item, place: digest(`${salt} ${at}`) }))
            .sort((a, b) => (a.place < b.place ? -1 : 1))
            .map(({ item }) => item);
        const turned = {
          ...world,
          members: shuffled(world.members),
          // Of two bindings on one cluster a deleting one stands before a live one.
          bindings: shuffled(world.bindings).sort((a, b) => Number(b.deleting ?? false) - Number(a.deleting ?? false)),
          policySnapshots: shuffled(world.policySnapshots),
        };
        expect(run(turned)).toEqual(run(world));
      }),
      drawn(2000, 20261122),
    );
  });
});
