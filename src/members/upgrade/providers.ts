import { clusterApiProvider } from './cluster-api/cluster-api.ts';
import type { ManagementClusters } from './management.ts';
import type { UpgradeProvider } from './provider.ts';
import { simulatedProvider } from './simulated.ts';
import type { OpenProviders } from './upgrade-watch.ts';

/** The upgrade providers by the annotation `gitfleet.dev/upgrade-provider`. */
export const upgradeProvidersOf =
  ({ management }: { readonly management?: Pick<ManagementClusters, 'find'> | undefined } = {}): OpenProviders =>
  async (setting, { client }): Promise<UpgradeProvider> => {
    switch (setting.provider) {
      case 'simulated':
        return simulatedProvider(client);
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
