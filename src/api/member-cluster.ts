import { z } from 'zod';
import { clusterName, condition, objectMeta, timestamp } from './meta.ts';
import { observedVersions } from './observed-versions.ts';
import { wrongAndFix } from './schema-message.ts';

/** Only `NoSchedule` exists (KubeFleet cluster/v1beta1). */
export const taint = z.strictObject({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule']),
});
export type Taint = z.output<typeof taint>;

export const memberClusterSpec = z.strictObject({
  identity: z.looseObject({}).optional(),
  heartbeatPeriodSeconds: z.number().int().min(1).max(600).default(60),
  taints: z.array(taint).max(100).optional(),
  deleteOptions: z.strictObject({ validationMode: z.enum(['Strict', 'Skip']).default('Strict') }).optional(),
});

/** A quantity is a string, or a plain number as users may write it. */
const amount = z.union([z.string(), z.number()], {
  error: wrongAndFix('must be a string or a number', 'write for example 4 or "500m"'),
});
const resourceList = z.record(z.string(), amount);

export const memberClusterStatus = z.looseObject({
  conditions: z.array(condition).optional(),
  properties: z.record(z.string(), z.looseObject({ value: amount, observationTime: z.string().optional() })).optional(),
  resourceUsage: z
    .looseObject({
      capacity: resourceList.optional(),
      allocatable: resourceList.optional(),
      available: resourceList.optional(),
      observationTime: z.string().optional(),
    })
    .optional(),
  namespaces: z.record(z.string(), z.string()).optional(),
  /** Ours: what it runs, as its upgrade provider reports it. */
  versions: observedVersions.optional(),
  agentStatus: z
    .array(
      z.looseObject({
        type: z.string(),
        conditions: z.array(condition).optional(),
        lastReceivedHeartbeat: timestamp.optional(),
      }),
    )
    .optional(),
});
export type MemberClusterStatus = z.output<typeof memberClusterStatus>;

/** KubeFleet's MemberCluster (cluster.kubernetes-fleet.io, v1 and v1beta1). */
export const memberCluster = z.strictObject({
  apiVersion: z.enum(['cluster.kubernetes-fleet.io/v1', 'cluster.kubernetes-fleet.io/v1beta1']),
  kind: z.literal('MemberCluster'),
  metadata: objectMeta.extend({ name: clusterName(z.string().min(1)) }),
  spec: memberClusterSpec.prefault({}),
  status: memberClusterStatus.optional(),
});
export type MemberCluster = z.output<typeof memberCluster>;

/** Whether it leaves the fleet: nothing more is placed on it, and its objects stay. */
export const isLeaving = ({ metadata }: Pick<MemberCluster, 'metadata'>): boolean => metadata.deletionTimestamp != null;

/** The status of KubeFleet's member agent, the only agent that scheduling depends on. */
export const memberAgentOf = (status: MemberClusterStatus | undefined) =>
  status?.agentStatus?.find(({ type }) => type === 'MemberAgent');
