import { isLeaving, type MemberCluster } from '../../api/member-cluster.ts';
import {
  providerAnnotation,
  referenceAnnotation,
  upgradeProviderNamed,
} from '../../engine/upgrade/member-annotations.ts';
import type { ProviderSetting } from './provider.ts';

/** Who upgrades a member, as its annotations say; undefined = no one, or none that exists. */
export function providerOf(cluster: Pick<MemberCluster, 'metadata'>): ProviderSetting | undefined {
  const { annotations = {} } = cluster.metadata;
  const provider = upgradeProviderNamed(annotations[providerAnnotation]);
  if (provider === undefined || isLeaving(cluster)) return undefined;
  return { provider, ref: annotations[referenceAnnotation] };
}
