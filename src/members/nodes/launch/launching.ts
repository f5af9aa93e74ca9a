import { assertNever } from '../../../engine/kernel/assert.ts';
import type { MemberClient } from '../../api-server/client.ts';
import type { ManagementClusters } from '../../upgrade/management.ts';
import type { ProviderSetting } from '../../upgrade/provider.ts';
import { clusterApiLauncher } from './cluster-api.ts';
import type { Launcher } from './launcher.ts';
import { simulatedLauncher } from './simulated.ts';

/** Who launches and removes nodes of a member, by its upgrade provider; undefined = nothing can. */
export type OpenLauncher = (setting: ProviderSetting, client: MemberClient) => Launcher | undefined;

export const launchersOf =
  ({ management }: { readonly management?: Pick<ManagementClusters, 'find'> | undefined } = {}): OpenLauncher =>
  (setting, client) => {
    switch (setting.provider) {
      case 'simulated':
        return simulatedLauncher(client);
      case 'cluster-api':
        return clusterApiLauncher(async () => {
          if (management === undefined)
            throw new Error('start gitfleet with --cluster-api KUBECONFIG, a kubeconfig of the management cluster');
          return management.find(setting);
        });
      // Nothing that they offer adds one machine to a cluster.
      case 'aks':
      case 'system-upgrade-controller':
        return undefined;
      default:
        return assertNever(setting.provider);
    }
  };

/** Who launches nodes of a member: the provider that upgrades it. */
export interface Launching {
  use(setting: ProviderSetting | undefined): void;
  /** Undefined: nothing can launch nodes there. Then no launches are reported, and commands that need a replacement are held. */
  launcher(): Launcher | undefined;
}

export function launching(client: MemberClient, open: OpenLauncher = launchersOf()): Launching {
  let launcher: Launcher | undefined;
  let present: ProviderSetting | undefined;
  return {
    use(setting) {
      if (setting?.provider === present?.provider && setting?.ref === present?.ref) return;
      present = setting;
      launcher = setting && open(setting, client);
    },
    launcher: () => launcher,
  };
}
