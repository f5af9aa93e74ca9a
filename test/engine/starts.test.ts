import { expect, it } from 'vitest';
import { planFleet } from '../../src/engine/plan.ts';
import { PaperFleet } from '../support/paper-fleet.ts';
import { shop } from '../support/shop.ts';
import { run, UpgradeFleet } from './upgrade/upgrade-fleet.ts';

it('a plan starts something when it starts to upgrade a cluster, and not while that goes on', async () => {
  const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
  const starts = async (): Promise<boolean> => {
    const { starts: isStart } = planFleet(await fleet.input());
    await fleet.plan();
    return isStart;
  };
  expect(await starts()).toBe(true);
  expect(fleet.inFlight()).toEqual(['a']);
  expect(await starts()).toBe(false);
  fleet.succeed().later(60);
  expect(await starts()).toBe(true);
  expect(fleet.inFlight()).toEqual(['b']);
});

it('a plan starts something when it moves a binding', async () => {
  const paper = new PaperFleet(shop);
  expect(planFleet(await paper.input()).starts).toBe(true);
});
