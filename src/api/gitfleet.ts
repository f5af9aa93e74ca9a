import { z } from 'zod';
import { approver } from './approver.ts';
import { type ClusterName, intOrPercent, labelSelector, objectMeta, type PlacementKey } from './meta.ts';
import { nodeDisruption } from './nodes/node-disruption.ts';
import { rolloutStrategy } from './placement.ts';
import { upgradeSettings } from './upgrade-settings.ts';

const version = z.literal('gitfleet.dev/v1alpha1');

/** `fleet.yaml`: limits, freeze windows, defaults, forge. Everything is optional. */
export const fleetConfig = z.strictObject({
  apiVersion: version,
  kind: z.literal('FleetConfig'),
  metadata: objectMeta.partial({ name: true }).optional(),
  spec: z
    .strictObject({
      guard: z
        .strictObject({
          maxClusters: intOrPercent.optional(),
          maxObjectsPerCluster: intOrPercent.optional(),
          maxLeaving: intOrPercent.optional(),
        })
        .optional(),
      freeze: z
        .array(
          z.strictObject({
            name: z.string(),
            schedule: z.string(),
            duration: z.string(),
            timeZone: z.string().optional(),
          }),
        )
        .optional(),
      /** Where approvals count, and which. Only in `fleet.yaml`, so that code owners of that file decide. */
      approvals: z
        .strictObject({
          /** Folder below which approvals count, with a slash at its end. */
          path: z.string().default('approvals/'),
          /** Approvals without a review digest, or added with their run, also count, with a warning. */
          handWritten: z.boolean().default(false),
        })
        .optional(),
      /** For placements without the field. */
      defaults: z.strictObject({ strategy: rolloutStrategy.optional() }).optional(),
      upgrades: upgradeSettings.optional(),
      /** Limits above the node pools, for members whose nodes gitfleet disrupts itself. */
      nodeDisruption: nodeDisruption.optional(),
      forge: z
        .strictObject({
          /** `gitea` is Forgejo too. Absent: from the address of the repo. */
          kind: z.enum(['github', 'gitlab', 'gitea', 'none']).optional(),
          /** `owner/name`. Absent: from the address of the repo. */
          repository: z.string().optional(),
          /** Of the server, or of its API. */
          baseURL: z.string().optional(),
          /** Pull requests of forks get a preview too: their authors then read what clusters hold. Absent: false. */
          previewForks: z.boolean().optional(),
          /** Names of labels of pull requests for approvals, set when they are opened. */
          labels: z.array(z.string()).optional(),
          /** Who is asked to review them: names of users, and `org/team` at forges that have teams. */
          reviewers: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .prefault({}),
});
export type FleetConfig = z.output<typeof fleetConfig>;

export const priceList = z.strictObject({
  apiVersion: version,
  kind: z.literal('PriceList'),
  metadata: objectMeta,
  spec: z.strictObject({
    currency: z.string().default('USD'),
    /** Absent = every member. */
    clusterSelector: labelSelector.optional(),
    prices: z.array(
      z.strictObject({
        instanceType: z.string().min(1),
        zone: z.string().min(1).optional(),
        capacityType: z.enum(['on-demand', 'spot', 'reserved']).default('on-demand'),
        /** Price of one node for one hour in `currency`. */
        perHour: z.number().min(0),
      }),
    ),
  }),
});
export type PriceList = z.output<typeof priceList>;

/** Approves a removal that the guard refused: the digest identifies exactly what will be removed. */
export const removalApproval = z.strictObject({
  apiVersion: version,
  kind: z.literal('RemovalApproval'),
  metadata: objectMeta,
  spec: z.strictObject({ removalDigest: z.string() }),
});
export type RemovalApproval = z.output<typeof removalApproval>;

/** On the status branch: a RemovalApproval that allowed a removal. It allows no other one. */
export const approvedRemoval = z.strictObject({
  apiVersion: version,
  kind: z.literal('ApprovedRemoval'),
  metadata: z.strictObject({ name: z.string() }),
  spec: z.strictObject({ removalDigest: z.string() }),
  status: z.strictObject({
    /** Of the followed branch, whose plan used it first. */
    commit: z.string(),
    /** When that was. */
    at: z.string().optional(),
    approvedBy: approver.optional(),
    /**
     * What is not removed yet, so that the approval still counts: on one cluster, or everywhere that the rollout of a placement has
     * still to reach. Absent: all of it is done.
     */
    underWay: z
      .array(
        z.strictObject({
          placement: z.custom<PlacementKey>((value) => typeof value === 'string'),
          clusterName: z.custom<ClusterName>((value) => typeof value === 'string').optional(),
          /** Under External the update run that removes, `[ns.]name`: the approval counts for no other one. */
          run: z.string().optional(),
        }),
      )
      .optional(),
  }),
});
export type ApprovedRemoval = z.output<typeof approvedRemoval>;
