import { z } from 'zod';

/** What a member runs; of a pool the oldest of its nodes. */
export const observedVersions = z.looseObject({
  controlPlane: z.string().optional(),
  region: z.string().optional(),
  /** `Stopped`: it cannot be upgraded. */
  powerState: z.string().optional(),
  /** Enrolled for long-term support. Absent = the provider does not say. */
  lts: z.boolean().optional(),
  pools: z
    .array(
      z.looseObject({
        name: z.string(),
        kubernetes: z.string().optional(),
        image: z.string().optional(),
        count: z.number().int().optional(),
        /** Made from a snapshot, whose image it keeps until another one is named (AKS). */
        snapshot: z.boolean().optional(),
      }),
    )
    .optional(),
});
export type ObservedVersions = z.output<typeof observedVersions>;
export type ObservedPool = NonNullable<ObservedVersions['pools']>[number];
