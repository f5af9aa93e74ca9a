import { expect } from 'vitest';
import { planFleet } from '../../src/engine/plan.ts';
import { memoOf } from '../../src/engine/reuse/memo.ts';
import type { Reusable, Settled } from '../../src/engine/reuse/reuse.ts';
import { survey } from '../../src/engine/survey.ts';
import type { World } from '../../src/engine/world.ts';
import type { PaperFleet } from '../support/paper-fleet.ts';
import { told } from '../support/paper-fleet.ts';

/** What an earlier plan left, with one part of it as it is in this world. */
export type Forgery = (reusable: Reusable, world: World) => Reusable;

export const ofAll =
  (part: (world: World) => Partial<Reusable['world']>): Forgery =>
  (reusable, world) => ({ ...reusable, world: { ...reusable.world, ...part(world) } });

export const eachSettled =
  (forged: (settled: Settled, world: World) => Settled): Forgery =>
  (reusable, world) => ({
    ...reusable,
    settled: new Map([...reusable.settled].map(([key, settled]) => [key, forged(settled, world)])),
  });

/**
 * That what the last plan left is of no harm to the one after a change, and would be if a part of it were taken to be as it was:
 * so that part must be compared, and the law of reuse can fail.
 */
export async function expectNoticed(paper: PaperFleet, change: () => void, forge: Forgery): Promise<void> {
  const memo = memoOf(paper.last!.parts);
  change();
  const input = await paper.input();
  const whole = told(planFleet(input));
  expect(told(planFleet(input, memo))).toBe(whole);
  expect(
    told(planFleet(input, { ...memo, reusable: forge(memo.reusable, { ...survey(input), upgrading: new Map() }) })),
  ).not.toBe(whole);
}
