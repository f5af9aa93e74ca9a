import { z } from 'zod';
import { objectMeta } from './meta.ts';
import { upgradeType } from './upgrade-fields.ts';
import { upgradeRunStatus } from './upgrade-status.ts';
import { ownVersion, upgradeStages } from './upgrade-strategy.ts';

const managedClusterUpdate = z.strictObject({
  upgrade: z.strictObject({
    type: upgradeType,
    /** `x.y.z`, or `x.y` for the newest patch where the member is. */
    kubernetesVersion: z.string().optional(),
  }),
  nodeImageSelection: z
    .strictObject({
      type: z.enum(['Latest', 'Consistent', 'Custom']).default('Latest'),
      customNodeImageVersions: z.array(z.strictObject({ version: z.string() })).optional(),
    })
    .optional(),
});
export type ManagedClusterUpdate = z.output<typeof managedClusterUpdate>;

const skipTarget = z.strictObject({
  type: z.enum(['Member', 'Group', 'Stage', 'AfterStageWait']),
  name: z.string(),
});
export type SkipTarget = z.output<typeof skipTarget>;

const policy = z.enum(['Pending', 'Skip', 'Fail']);

/** AKS Fleet's properties of an update run (fleet/update/run.tsp), and what is ours. */
export const updateRun = z.strictObject({
  apiVersion: ownVersion,
  kind: z.literal('UpdateRun'),
  metadata: objectMeta,
  spec: z.strictObject({
    updateStrategyId: z.string().optional(),
    strategy: upgradeStages.optional(),
    managedClusterUpdate,
    autoUpgradeProfileId: z.string().optional(),
    /** Committing the file is the intent: started unless it says otherwise. */
    state: z.enum(['Started', 'Stopped']).default('Started'),
    /** Raised: what failed is tried again. */
    attempt: z.number().int().min(1).default(1),
    skip: z.array(skipTarget).default([]),
    /** For a member that is stopped, unreachable or observed in part. */
    onUnavailable: policy.default('Pending'),
    /** For a member with a Blocking finding. */
    onBlocked: z.enum([...policy.options, 'Ignore']).default('Pending'),
    /** `0s` = none. */
    progressDeadline: z.string().default('4h0m0s'),
    /** A member whose window opens within four hours keeps a slot free. */
    reserveUpcomingWindows: z.boolean().default(false),
    /** A target two or more minors ahead is reached in steps. */
    chainMinors: z.boolean().default(false),
  }),
  status: upgradeRunStatus.optional(),
});
export type UpdateRun = z.output<typeof updateRun>;
