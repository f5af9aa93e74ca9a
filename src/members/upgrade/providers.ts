import { clusterApiProvider } from './cluster-api/cluster-api.ts';
import type { ManagementClusters } from './management.ts';
import type { ProviderSetting, UpgradeProvider } from './provider.ts';
import { simulatedProvider } from './simulated.ts';
import { systemUpgradeProvider } from './system-upgrade/system-upgrade.ts';
import type { OpenProviders } from './upgrade-watch.ts';

/** The upgrade providers by the annotation `gitfleet.dev/upgrade-provider`. */
export const upgradeProvidersOf =
  ({ management }: { readonly management?: Pick<ManagementClusters, 'find'> | undefined } = {}): OpenProviders =>
  async (setting, { client }): Promise<UpgradeProvider> => {
    switch (setting.provider) {
      case 'simulated':
        return simulatedProvider(client);
      case 'system-upgrade-controller':
        return systemUpgradeProvider(client, namespaceOf(setting));
      case 'cluster-api': {
        if (management === undefined)
          throw new Error('start gitfleet with --cluster-api KUBECONFIG, a kubeconfig of the management cluster');
        const found = await management.find(setting);
        return clusterApiProvider(found.client, found.ref);
      }
      default:
        throw new Error(`this gitfleet has no upgrade provider ${setting.provider} yet`);
    }
  };

/** Of the Plans of system-upgrade-controller; the default is that of its manifests. */
function namespaceOf({ ref = 'system-upgrade' }: ProviderSetting): string {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(ref)) return ref;
  throw new Error(`gitfleet.dev/upgrade-ref ${ref}: write the namespace of the Plans`);
}
