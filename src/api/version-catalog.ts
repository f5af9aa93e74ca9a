import { z } from 'zod';
import { objectMeta, timestamp } from './meta.ts';
import { wrongAndFix } from './schema-message.ts';
import { ownVersion } from './upgrade-strategy.ts';

/** A day, or an instant. */
const day = z.union([z.iso.date(), timestamp], {
  error: wrongAndFix('must be a date', 'write for example 2026-11-03'),
});

const kubernetesVersion = z.strictObject({
  version: z.string(),
  released: day.optional(),
  /** Never chosen by `x.y` or by a channel. */
  preview: z.boolean().default(false),
  /** Has long-term support. */
  lts: z.boolean().default(false),
  endOfSupport: day.optional(),
});

const nodeImageVersion = z.strictObject({ version: z.string(), released: day.optional() });

/** Which Kubernetes versions and node images exist where. Old entries stay, as history: Consistent images need them. */
export const versionCatalog = z.strictObject({
  apiVersion: ownVersion,
  kind: z.literal('VersionCatalog'),
  metadata: objectMeta,
  spec: z.strictObject({
    /** Absent = for members of any provider. */
    provider: z.string().min(1).optional(),
    /** URL, for messages. */
    releaseTracker: z.string().optional(),
    regions: z.array(
      z.strictObject({
        name: z.string().min(1),
        kubernetesVersions: z.array(kubernetesVersion).default([]),
        nodeImageVersions: z.array(nodeImageVersion).default([]),
      }),
    ),
  }),
});
export type VersionCatalog = z.output<typeof versionCatalog>;
