import { z } from 'zod';
import { approver } from './approver.ts';
import { objectMeta } from './meta.ts';
import { ownVersion } from './upgrade-strategy.ts';

/** The approval file of a gate of an update run (AKS Fleet's fleets/gates). */
export const upgradeGate = z.strictObject({
  apiVersion: ownVersion,
  kind: z.literal('Gate'),
  metadata: objectMeta,
  spec: z.strictObject({
    displayName: z.string().min(1).max(100).optional(),
    gateType: z.enum(['Approval', 'ScheduledStart']),
    target: z.strictObject({
      /** An ARM id; the run is named below. */
      id: z.string().optional(),
      updateRunProperties: z.strictObject({
        name: z.string(),
        stage: z.string().optional(),
        group: z.string().optional(),
        timing: z.enum(['Before', 'After']),
      }),
    }),
    /** Rejected is ours: the run fails. */
    state: z.enum(['Pending', 'Skipped', 'Completed', 'Rejected']).optional(),
  }),
  /** Of the record only. `message`: who rejected it and why. */
  status: z
    .looseObject({ state: z.string(), approvedBy: approver.optional(), message: z.string().optional() })
    .optional(),
});
export type UpgradeGate = z.output<typeof upgradeGate>;
