import { isLeaving, type MemberCluster } from '../../api/member-cluster.ts';
import { providerAnnotation, referenceAnnotation, upgradeProviders } from '../../engine/upgrade/member-annotations.ts';
import type { ProviderSetting } from './provider.ts';

/** Who upgrades a member, as its annotations say; undefined = no one, or none that exists. */
export function providerOf(cluster: Pick<MemberCluster, 'metadata'>): ProviderSetting | undefined {
  const { annotations = {} } = cluster.metadata;
  const provider = annotations[providerAnnotation];
  if (provider === undefined || !upgradeProviders.includes(provider) || isLeaving(cluster)) return undefined;
  return { provider, ref: annotations[referenceAnnotation] };
}
