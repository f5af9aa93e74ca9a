import { z } from 'zod';
import { objectMeta } from './meta.ts';
import { ownVersion } from './upgrade-strategy.ts';

/** Proposes an update run when a newer version appears (AKS fleets/autoUpgradeProfiles). */
export const autoUpgradeProfile = z.strictObject({
  apiVersion: ownVersion,
  kind: z.literal('AutoUpgradeProfile'),
  metadata: objectMeta,
  spec: z.strictObject({
    /** Absent = all members, one by one. */
    updateStrategyId: z.string().optional(),
    /**
     * Rapid: the newest patch of the newest minor. Stable: of the minor before it. TargetKubernetesVersion: of the minor that is
     * named. NodeImage: node images only.
     */
    channel: z.enum(['Stable', 'Rapid', 'NodeImage', 'TargetKubernetesVersion', 'SecurityPatch']),
    nodeImageSelection: z.strictObject({ type: z.enum(['Latest', 'Consistent']).default('Latest') }).prefault({}),
    /** `x.y`, for the channel of its name. */
    targetKubernetesVersion: z.string().optional(),
    longTermSupport: z.boolean().default(false),
    /** Existing runs continue. */
    disabled: z.boolean().default(false),
  }),
  /** Of the record only. */
  status: z
    .looseObject({
      lastTriggeredAt: z.string().optional(),
      lastTriggerStatus: z.enum(['Succeeded', 'Failed']).optional(),
      lastTriggerError: z.looseObject({ code: z.string().optional(), message: z.string().optional() }).optional(),
      lastTriggerUpgradeVersions: z.array(z.string()).optional(),
      lastTriggerMessage: z.string().optional(),
      /** The newest target that was seen: only a newer one triggers. */
      seen: z.string().optional(),
      /** Ours: the target whose run waits to be merged. */
      proposed: z.string().optional(),
    })
    .optional(),
});
export type AutoUpgradeProfile = z.output<typeof autoUpgradeProfile>;
