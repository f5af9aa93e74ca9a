import type { UpgradeProvider } from './provider.ts';
import { simulatedProvider } from './simulated.ts';
import type { OpenProviders } from './upgrade-watch.ts';

/** The upgrade providers by the annotation `gitfleet.dev/upgrade-provider`. */
export const upgradeProvidersOf =
  (): OpenProviders =>
  async ({ provider }, { client }): Promise<UpgradeProvider> => {
    switch (provider) {
      case 'simulated':
        return simulatedProvider(client);
      default:
        throw new Error(`upgrade provider ${provider} is not set up`);
    }
  };
