import { z } from 'zod';
import { objectMeta, timestamp } from '../meta.ts';
import { disruptionModes } from './disruption-modes.ts';
import { capacityTypes } from './instance-catalog.ts';

export const disruptionMethods = [
  'Expiration',
  'Emptiness',
  'StaticDrift',
  'Drift',
  'MultiNodeConsolidation',
  'SingleNodeConsolidation',
] as const;
export type DisruptionMethod = (typeof disruptionMethods)[number];

const capacityType = z.enum(capacityTypes);

const commandNode = z.strictObject({
  name: z.string(),
  /** Of the record: of its claim. Another node may get its name. */
  uid: z.string().optional(),
  pool: z.string(),
  instanceType: z.string().optional(),
  zone: z.string().optional(),
  capacityType: z.string().optional(),
  /** Per hour; absent = unknown. */
  price: z.number().optional(),
  /** 1 and what moving its pods costs. */
  disruptionCost: z.number(),
  /** Why it drifted; only of Drifted. */
  drift: z.string().optional(),
});

const replacement = z.strictObject({
  name: z.string(),
  pool: z.string(),
  instanceType: z.string(),
  zone: z.string(),
  capacityType,
  price: z.number().optional(),
  /** Types that may stand in for it in that zone with that capacity type, cheapest first. */
  options: z.array(z.string()),
  /** That do not follow from its type: what is chosen where its pool leaves a choice. */
  labels: z.record(z.string(), z.string()).optional(),
  /** Of the record: it was observed once. */
  seen: z.boolean().optional(),
});

const movedPod = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  from: z.string(),
  /** A node that stays, or a replacement. Absent = no place is held for it. */
  to: z.string().optional(),
});

export const nodeCommand = z.strictObject({
  id: z.string(),
  method: z.enum(disruptionMethods),
  reason: z.enum(['Empty', 'Drifted', 'Underutilized', 'Expired']),
  phase: z.enum(['Proposed', 'Validating', 'Launching', 'Removing']),
  since: timestamp.optional(),
  /** Of the record: when it began. */
  startedAt: timestamp.optional(),
  nodes: z.array(commandNode),
  replacements: z.array(replacement),
  priceBefore: z.number().optional(),
  priceAfter: z.number(),
  pods: z.array(movedPod).optional(),
});
export type NodeCommand = z.output<typeof nodeCommand>;
export type CommandNode = NodeCommand['nodes'][number];
export type Replacement = NodeCommand['replacements'][number];
export type MovedPod = z.output<typeof movedPod>;

export const blockReasons = [
  'NoNodeClaim',
  'NoNode',
  'NotInitialized',
  'Deleting',
  'Marked',
  'Nominated',
  'NodeDoNotDisrupt',
  'NoNodePool',
  'UnknownNodePool',
  'PodDoNotDisrupt',
  'MultiplePodDisruptionBudgets',
  'PodDisruptionBudget',
  'NotModelled',
  'ConsolidateAfter',
  'InstanceTypeUnknown',
  'NoPlaceForPods',
  'PoolLimit',
  'CoolDown',
] as const;
export type BlockReason = (typeof blockReasons)[number];

const blockedNode = z.strictObject({
  node: z.string(),
  pool: z.string().optional(),
  reason: z.enum(blockReasons),
  message: z.string(),
  /** What it stops; absent = every reason. */
  reasons: z.array(z.string()).optional(),
  until: timestamp.optional(),
});
export type BlockedNode = z.output<typeof blockedNode>;

const limits = z.looseObject({
  Empty: z.number(),
  Drifted: z.number(),
  Underutilized: z.number(),
  Expired: z.number().optional(),
});

const plannedPool = z.strictObject({
  name: z.string(),
  profile: z.enum(['karpenter-1.14', 'karpenter-v1beta1']),
  nodes: z.number(),
  disrupting: z.number(),
  limit: limits,
  allowed: limits,
  changesAt: timestamp.optional(),
});
export type PlannedPool = z.output<typeof plannedPool>;

const recordedClaim = z.strictObject({
  name: z.string(),
  node: z.string().optional(),
  uid: z.string(),
  pool: z.string().optional(),
  createdAt: timestamp.optional(),
  /** Digests of the template and the node class on the day it was first seen. */
  template: z.string().optional(),
  nodeClass: z.string().optional(),
  expireAfter: z.string().optional(),
  terminationGracePeriod: z.string().optional(),
  /** It was ready once, without the startup taints of its pool. */
  initialized: z.boolean().optional(),
});
export type RecordedClaim = z.output<typeof recordedClaim>;

const failure = z.strictObject({
  nodes: z.array(z.string()),
  times: z.number().int(),
  at: timestamp,
  until: timestamp,
  cause: z.string(),
});
export type NodeFailure = z.output<typeof failure>;

/** `nodes/<cluster>.yaml` of the status branch. */
export const nodePlan = z.strictObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('NodePlan'),
  metadata: objectMeta,
  mode: z.enum(disruptionModes),
  pools: z.array(plannedPool).default([]),
  commands: z.array(nodeCommand).default([]),
  blocked: z.array(blockedNode).default([]),
  claims: z.array(recordedClaim).default([]),
  failures: z.array(failure).default([]),
});
export type NodePlan = z.output<typeof nodePlan>;
