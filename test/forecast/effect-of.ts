import { type TotalEffect, totalEffect } from '../../src/forecast/total-effect.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { type PaperFleet, treeOf } from '../support/paper-fleet.ts';

export const assumptions = {
  readyAfterMs: 60_000,
  upgradedAfterMs: 1_800_000,
  approveAfterMs: 600_000,
  untilMs: 30 * 86_400_000,
};
export type Files = Record<string, string>;

/** The total effect of replacing the files of a fleet. */
export const effectOf = async (paper: PaperFleet, files: Files): Promise<TotalEffect> =>
  totalEffect(await paper.input(), { fleet: await loadFleet(treeOf(files)), commit: 'd'.repeat(40) }, assumptions);
