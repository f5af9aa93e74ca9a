import { z } from 'zod';
import { labelSelector, objectMeta } from '../meta.ts';
import { ownVersion } from '../upgrade-strategy.ts';
import { quantity } from './node-pool.ts';

export const capacityTypes = ['reserved', 'spot', 'on-demand'] as const;
export type CapacityType = (typeof capacityTypes)[number];

const resources = z.record(z.string(), quantity);

/** What can be launched, and where. Several catalogs of one cluster are united. */
export const instanceCatalog = z.strictObject({
  apiVersion: ownVersion,
  kind: z.literal('InstanceCatalog'),
  metadata: objectMeta,
  spec: z.strictObject({
    /** Absent = every member. */
    clusterSelector: labelSelector.optional(),
    instanceTypes: z.array(
      z.strictObject({
        name: z.string().min(1),
        /** In addition to the labels of type, zone, capacity type and hostname, which are implied. */
        labels: z.record(z.string(), z.string()).optional(),
        capacity: resources,
        /** Allocatable = capacity − overhead. */
        overhead: resources.optional(),
        offerings: z.array(
          z.strictObject({
            capacityType: z.enum(capacityTypes).default('on-demand'),
            zones: z.array(z.string().min(1)).min(1),
            available: z.boolean().default(true),
          }),
        ),
      }),
    ),
  }),
});
export type InstanceCatalog = z.output<typeof instanceCatalog>;
