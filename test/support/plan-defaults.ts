import type { PlanInput } from '../../src/engine/input.ts';

/** Of a PlanInput whose observations and record are all that is known of members. */
export const planDefaults: Pick<PlanInput, 'upgradeObservations' | 'unproven'> = {
  upgradeObservations: undefined,
  unproven: new Map(),
};
