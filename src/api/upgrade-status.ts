import { z } from 'zod';
import { approver } from './approver.ts';
import { clusterName, timestamp } from './meta.ts';
import { upgradeType } from './upgrade-fields.ts';

export const upgradeStates = [
  'NotStarted',
  'Running',
  'Pending',
  'Stopping',
  'Stopped',
  'Skipped',
  'Failed',
  'Completed',
] as const;
export type UpgradeState = (typeof upgradeStates)[number];

const statusOf = <const S extends readonly [string, ...string[]]>(states: S) =>
  z.looseObject({
    state: z.enum(states),
    startTime: timestamp.optional(),
    completedTime: timestamp.optional(),
    error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  });

/** The state of a run, stage, group or member. */
const scopeStatus = statusOf(upgradeStates);
export type ScopeStatus = z.output<typeof scopeStatus>;

const poolVersions = z.looseObject({
  name: z.string(),
  kubernetes: z.string().optional(),
  image: z.string().optional(),
});

/** Versions of a member; absent fields are unknown, or not changed. */
const memberVersions = z.looseObject({
  controlPlane: z.string().optional(),
  pools: z.array(poolVersions).optional(),
});
export type MemberVersions = z.output<typeof memberVersions>;

const gateStatus = z.looseObject({
  displayName: z.string().optional(),
  type: z.enum(['Approval', 'ScheduledStart']),
  /** The name of its approval file; absent until it is reached. */
  gateId: z.string().optional(),
  /** When a ScheduledStart opens by itself. */
  absoluteStartTime: timestamp.optional(),
  status: statusOf(['NotStarted', 'Pending', 'Skipped', 'Completed']),
  /** Ours: who approved. Absent = not approved yet, or not known. */
  approvedBy: approver.optional(),
});
export type GateStatus = z.output<typeof gateStatus>;

const memberStatus = z.looseObject({
  name: clusterName(),
  clusterResourceId: z.string().optional(),
  status: scopeStatus,
  /** Of the latest attempt. */
  operationId: z.string().optional(),
  type: upgradeType.optional(),
  from: memberVersions.optional(),
  /** Only what changes. */
  to: memberVersions.optional(),
  message: z.string().optional(),
  /** Ours: the operation is one of several, and the target of the run is not reached by it. */
  hop: z.literal(true).optional(),
});
export type MemberUpgrade = z.output<typeof memberStatus>;

const scope = {
  name: z.string(),
  status: scopeStatus,
  failureCount: z.number().int().default(0),
  maxConcurrency: z.number().int(),
  maxAllowedFailures: z.number().int().default(0),
  beforeGates: z.array(gateStatus).default([]),
};
const afterGates = z.array(gateStatus).default([]);

const groupStatus = z.looseObject({ ...scope, members: z.array(memberStatus).default([]), afterGates });
export type GroupUpgrade = z.output<typeof groupStatus>;

const stageStatus = z.looseObject({
  ...scope,
  groups: z.array(groupStatus).default([]),
  afterGates,
  afterStageWaitStatus: z
    .looseObject({
      status: statusOf(['NotStarted', 'Running', 'Skipped', 'Completed']),
      waitDurationInSeconds: z.number().int(),
    })
    .optional(),
});
export type StageUpgrade = z.output<typeof stageStatus>;
export type WaitStatus = NonNullable<StageUpgrade['afterStageWaitStatus']>;

export const upgradeRunStatus = z.looseObject({
  status: scopeStatus,
  attempt: z.number().int().default(1),
  failureCount: z.number().int().default(0),
  nodeImageSelection: z
    .looseObject({ selectedNodeImageVersions: z.array(z.looseObject({ version: z.string() })) })
    .optional(),
  stages: z.array(stageStatus).default([]),
  /** Ours: approvals of the run that were on main before it started. Absent = none. */
  earlyApprovals: z.array(z.strictObject({ name: z.string(), review: z.string() })).optional(),
});
export type UpgradeRunStatus = z.output<typeof upgradeRunStatus>;
