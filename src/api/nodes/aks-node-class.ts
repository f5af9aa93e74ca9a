import { z } from 'zod';
import { objectMeta } from '../meta.ts';

const onOff = z.enum(['Enabled', 'Disabled']);

/** `karpenter.azure.com` AKSNodeClass. Maps whose fields only AKS reads are passed on as written. */
export const aksNodeClass = z.strictObject({
  apiVersion: z.enum(['karpenter.azure.com/v1', 'karpenter.azure.com/v1beta1', 'karpenter.azure.com/v1alpha2']),
  kind: z.literal('AKSNodeClass'),
  metadata: objectMeta,
  spec: z
    .strictObject({
      vnetSubnetID: z.string().optional(),
      osDiskSizeGB: z.number().int().min(30).max(2048).optional(),
      imageFamily: z.enum(['Ubuntu', 'Ubuntu2204', 'Ubuntu2404', 'AzureLinux']).optional(),
      fipsMode: z.enum(['FIPS', 'Disabled']).optional(),
      tags: z.record(z.string(), z.string()).optional(),
      kubelet: z.looseObject({}).optional(),
      maxPods: z.number().int().min(10).max(250).optional(),
      security: z
        .strictObject({
          encryptionAtHost: z.boolean().optional(),
          trustedLaunch: z
            .strictObject({ vtpm: z.boolean().optional(), secureBoot: z.boolean().optional() })
            .optional(),
        })
        .optional(),
      localDNS: z.looseObject({}).optional(),
      gpu: z.strictObject({ mode: z.string().optional() }).optional(),
      artifactStreaming: z.strictObject({ enabled: z.boolean().optional(), mode: onOff.optional() }).optional(),
      linuxOSConfig: z.looseObject({}).optional(),
    })
    .optional(),
  status: z.looseObject({}).optional(),
});
export type AksNodeClass = z.output<typeof aksNodeClass>;
