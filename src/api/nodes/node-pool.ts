import { z } from 'zod';
import { objectMeta } from '../meta.ts';
import { wrongAndFix } from '../schema-message.ts';
import { consolidationPolicies, weights } from './pool-ranges.ts';

/** A quantity as text, or a plain number as users may write it. */
export const quantity = z.union([z.string(), z.number()], {
  error: wrongAndFix('must be a quantity', 'write for example 500m or 16Gi'),
});

export const nodeTaint = z.strictObject({
  key: z.string(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  timeAdded: z.string().optional(),
});

export const requirementOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'] as const;

export const nodeRequirement = z.strictObject({
  key: z.string(),
  operator: z.enum(requirementOperators),
  values: z.array(z.string()).optional(),
  minValues: z.number().int().min(1).max(50).optional(),
});

/** Resource amounts by name. */
const amounts = z.record(z.string(), quantity);

const nodeClassRef = z.strictObject({
  group: z.string().optional(),
  kind: z.string().min(1),
  name: z.string().min(1),
  /** v1beta1. */
  apiVersion: z.string().optional(),
});

/** What a NodeClaim has, and the template of a NodePool. */
const ofNode = {
  requirements: z.array(nodeRequirement).max(100),
  taints: z.array(nodeTaint).optional(),
  startupTaints: z.array(nodeTaint).optional(),
  nodeClassRef,
  expireAfter: z.string().optional(),
  terminationGracePeriod: z.string().optional(),
};

export const budgetReasons = ['Underutilized', 'Empty', 'Drifted'] as const;

const budget = z.strictObject({
  nodes: z.string().default('10%'),
  schedule: z.string().optional(),
  duration: z.string().optional(),
  reasons: z.array(z.enum(budgetReasons)).max(50).optional(),
});

/**
 * Karpenter's NodePool: `karpenter.sh/v1`, and the places of v1beta1 that the AKS product page writes under the label v1. The texts are
 * checked by nodePoolIssues.
 */
export const nodePool = z.strictObject({
  apiVersion: z.enum(['karpenter.sh/v1', 'karpenter.sh/v1beta1']),
  kind: z.literal('NodePool'),
  metadata: objectMeta,
  spec: z.strictObject({
    template: z.strictObject({
      metadata: z
        .strictObject({
          labels: z.record(z.string(), z.string()).optional(),
          annotations: z.record(z.string(), z.string()).optional(),
        })
        .optional(),
      spec: z.strictObject({
        ...ofNode,
        /** v1beta1: refused with a hint. */
        kubelet: z.unknown().optional(),
      }),
    }),
    disruption: z
      .strictObject({
        consolidationPolicy: z.enum(consolidationPolicies).optional(),
        consolidateAfter: z.string().optional(),
        /** v1beta1. */
        expireAfter: z.string().optional(),
        budgets: z.array(budget).max(50).optional(),
      })
      .optional(),
    limits: amounts.optional(),
    weight: z.number().int().min(weights.least).max(weights.most).optional(),
    replicas: z.number().int().min(0).optional(),
  }),
  status: z.looseObject({}).optional(),
});
export type NodePool = z.output<typeof nodePool>;

/** Karpenter's NodeClaim `karpenter.sh/v1`: one node. */
export const nodeClaim = z.strictObject({
  apiVersion: z.enum(['karpenter.sh/v1', 'karpenter.sh/v1beta1']),
  kind: z.literal('NodeClaim'),
  metadata: objectMeta,
  spec: z.strictObject({ ...ofNode, resources: z.strictObject({ requests: amounts.optional() }).optional() }),
  status: z.looseObject({}).optional(),
});
export type NodeClaim = z.output<typeof nodeClaim>;
