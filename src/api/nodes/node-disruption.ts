import { z } from 'zod';
import { labelSelector } from '../meta.ts';
import { wrongAndFix } from '../schema-message.ts';
import { budgetReasons } from './node-pool.ts';

/** Count or percentage, as text: `"10"` or `"25%"`. */
const amount = z.union([z.string(), z.number().int()], {
  error: wrongAndFix('must be a whole number or a percentage', 'write for example "2" or "25%"'),
});

/** `FleetConfig.spec.nodeDisruption`: limits above the pools, for members that gitfleet disrupts itself. */
export const nodeDisruption = z.strictObject({
  budgets: z
    .array(
      z.strictObject({
        /** Clusters with a disruption under way. */
        clusters: amount.optional(),
        nodes: amount.optional(),
        /** Absent = every member. */
        clusterSelector: labelSelector.optional(),
        /** Absent = all, Expired included. */
        reasons: z.array(z.enum([...budgetReasons, 'Expired'])).optional(),
        schedule: z.string().optional(),
        duration: z.string().optional(),
        /** IANA name; absent = UTC. */
        timeZone: z.string().optional(),
      }),
    )
    .optional(),
  /** Of Drifted: a wave starts when no node of an earlier one is drifted or on its way out. */
  waves: z.array(labelSelector).optional(),
  /** Karpenter's names. */
  featureGates: z.strictObject({ SpotToSpotConsolidation: z.boolean().default(false) }).optional(),
});
export type NodeDisruption = z.output<typeof nodeDisruption>;
