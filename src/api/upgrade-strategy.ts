import { z } from 'zod';
import { objectMeta } from './meta.ts';
import { memberSelector, weekday } from './upgrade-fields.ts';

export const ownVersion = z.literal('gitfleet.dev/v1alpha1');

/** Stages, groups and gates of AKS Fleet (fleet/update/strategy.tsp), under their own names. */
const scheduledStartConfiguration = z.strictObject({
  startDay: weekday,
  /** `HH:mm`, local to utcOffset. */
  startTime: z.string(),
  utcOffset: z.string(),
});

export const gateConfiguration = z.strictObject({
  displayName: z.string().min(1).max(100).optional(),
  type: z.enum(['Approval', 'ScheduledStart']),
  scheduledStartConfiguration: scheduledStartConfiguration.optional(),
});
export type GateConfiguration = z.output<typeof gateConfiguration>;

const scope = {
  name: z.string(),
  memberSelector: memberSelector.optional(),
  /** A number or a percentage, rounded down and at least 1. */
  maxConcurrency: z.string().optional(),
  /** A number or a percentage, rounded up. A scope fails when more members have failed. */
  maxAllowedFailures: z.string().optional(),
  beforeGates: z.array(gateConfiguration).optional(),
  afterGates: z.array(gateConfiguration).optional(),
};

const upgradeGroup = z.strictObject(scope);
export type UpgradeGroup = z.output<typeof upgradeGroup>;

const upgradeStage = z.strictObject({
  ...scope,
  /** Run in parallel. */
  groups: z.array(upgradeGroup).max(50).optional(),
  afterStageWaitInSeconds: z.number().int().min(0).max(315_360_000).optional(),
});
export type UpgradeStage = z.output<typeof upgradeStage>;

export const upgradeStages = z.strictObject({
  /** In the order of execution. */
  stages: z.array(upgradeStage).min(1).max(31),
});
export type UpgradeStages = z.output<typeof upgradeStages>;

export const updateStrategy = z.strictObject({
  apiVersion: ownVersion,
  kind: z.literal('UpdateStrategy'),
  metadata: objectMeta,
  spec: z.strictObject({ strategy: upgradeStages }),
});
export type UpdateStrategy = z.output<typeof updateStrategy>;
