/** Factor for the number of stories that each law draws: 1 by default. */
const times = Number(process.env['LAW_TIMES'] || 1);
const seed = process.env['LAW_SEED'] ? Number(process.env['LAW_SEED']) : undefined;

/**
 * How a law is drawn, for `fc.assert`: `usual` is what every `npm test` can afford. `LAW_TIMES=100` draws a hundred times as
 * many, `LAW_SEED=7` others than usual; a law that names no seed of its own draws others each time.
 */
export const drawn = (usual = 100, ownSeed?: number): { readonly numRuns: number; readonly seed?: number } => {
  const chosen = seed ?? ownSeed;
  return { numRuns: Math.round(usual * times), ...(chosen === undefined ? {} : { seed: chosen }) };
};

/** Time limit of a law that usually takes less than `usual`, milliseconds. */
export const patience = (usual: number): number => usual * Math.max(1, times);
