import { type UpgradeProviderName, upgradeProviders } from '../../api/upgrade-providers.ts';

/** An annotation of members: who upgrades them. Without one nothing does. */
export const providerAnnotation = 'gitfleet.dev/upgrade-provider';

/** An annotation of members: what their upgrade provider calls them. */
export const referenceAnnotation = 'gitfleet.dev/upgrade-ref';

/** Undefined: there is no provider of this name. */
export const upgradeProviderNamed = (name: string | undefined): UpgradeProviderName | undefined =>
  upgradeProviders.find((provider) => provider === name);
