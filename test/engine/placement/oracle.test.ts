import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileFleet } from '../../../src/engine/placement/compile-fleet.ts';
import { schedule } from '../../../src/engine/placement/schedule.ts';
import { naiveSchedule } from './oracle.ts';
import { digest, now, type World, worlds } from './worlds.ts';

const run = ({ placement, policySnapshots, bindings, members }: World) =>
  schedule({ placement, state: { policySnapshots, bindings }, index: compileFleet(members), now, digest });

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the scheduler', () => {
  test('decides as the naive scheduler does, byte for byte', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const { bindings, decisions, scheduled, policySnapshots } = run(world);
        const naive = naiveSchedule(world);
        expect(
          plain({
            bindings,
            decisions,
            status: scheduled.status,
            latest: policySnapshots.find((entry) => entry.latest)?.index,
          }),
        ).toEqual(
          plain({
            bindings: naive.bindings,
            decisions: naive.decisions,
            status: naive.status,
            latest: naive.latestIndex,
          }),
        );
      }),
      { numRuns: 20_000, seed: 20261120 },
    );
  });

  test('changes nothing when it runs on its own result', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const once = run(world);
        const twice = run({ ...world, policySnapshots: once.policySnapshots, bindings: once.bindings });
        expect(twice).toEqual(once);
      }),
      { numRuns: 5000, seed: 20261121 },
    );
  });

  test('does not depend on the order of members, bindings or snapshots', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const turned = {
          ...world,
          members: world.members.toReversed(),
          bindings: world.bindings
            .toReversed()
            .sort((a, b) => Number(b.deleting ?? false) - Number(a.deleting ?? false)),
          policySnapshots: world.policySnapshots.toReversed(),
        };
        expect(run(turned)).toEqual(run(world));
      }),
      { numRuns: 3000, seed: 20261122 },
    );
  });
});
