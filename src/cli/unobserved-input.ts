import type { PlanInput } from '../engine/input.ts';
import { sha256 } from '../repo/sha256.ts';

/** The input of a plan from the record alone: no member is observed, and the record counts as it is. */
export const unobservedInput = (of: Pick<PlanInput, 'now' | 'commit' | 'fleet' | 'record'>): PlanInput => ({
  ...of,
  observations: undefined,
  upgradeObservations: undefined,
  unproven: new Map(),
  digest: sha256,
});
