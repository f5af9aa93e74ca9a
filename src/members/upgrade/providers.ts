import { assertNever } from '../../engine/kernel/assert.ts';
import { aksProvider } from './aks/aks.ts';
import type { ResourceManager } from './aks/resource-manager.ts';
import { clusterApiProvider } from './cluster-api/cluster-api.ts';
import type { ManagementClusters } from './management.ts';
import type { ProviderSetting, UpgradeProvider } from './provider.ts';
import { simulatedProvider } from './simulated.ts';
import { systemUpgradeProvider } from './system-upgrade/system-upgrade.ts';
import type { OpenProviders } from './upgrade-watch.ts';

/** What providers outside of members need; undefined = not set up. */
interface ProviderAccess {
  readonly management?: Pick<ManagementClusters, 'find'> | undefined;
  readonly azure?: ResourceManager | undefined;
}

/** The upgrade providers by the annotation `gitfleet.dev/upgrade-provider`. */
export const upgradeProvidersOf =
  ({ management, azure }: ProviderAccess = {}): OpenProviders =>
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
      case 'aks': {
        if (azure === undefined)
          throw new Error(
            'gitfleet has no identity in Azure: set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_FEDERATED_TOKEN_FILE or AZURE_CLIENT_SECRET',
          );
        return aksProvider(azure, resourceOf(setting));
      }
      default:
        return assertNever(setting.provider);
    }
  };

/** Of the Plans of system-upgrade-controller; the default is that of its manifests. */
function namespaceOf({ ref = 'system-upgrade' }: ProviderSetting): string {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(ref)) return ref;
  throw new Error(`gitfleet.dev/upgrade-ref ${ref}: write the namespace of the Plans`);
}

/** The resource id of an AKS cluster. What it is made of becomes a path of requests, so nothing else may be in it. */
function resourceOf({ ref = 'is missing' }: ProviderSetting): string {
  const part = '[A-Za-z0-9_.()-]+';
  const form = `^/subscriptions/[0-9a-f-]{36}/resourceGroups/${part}/providers/Microsoft\\.ContainerService/managedClusters/${part}$`;
  if (new RegExp(form, 'i').test(ref) && !ref.includes('/..') && !ref.includes('/./')) return ref;
  throw new Error(
    `gitfleet.dev/upgrade-ref ${ref}: write the resource id of the cluster, as \`az aks show --query id\` prints it`,
  );
}
