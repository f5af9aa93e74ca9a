/** An annotation of members: who upgrades them. Without one nothing does. */
export const providerAnnotation = 'gitfleet.dev/upgrade-provider';

/** An annotation of members: what their upgrade provider calls them. */
export const referenceAnnotation = 'gitfleet.dev/upgrade-ref';

/** Values of that annotation. A further one does not compile without its rights on members, its launcher and its mode for nodes. */
export const upgradeProviders = ['cluster-api', 'aks', 'system-upgrade-controller', 'simulated'] as const;

export type UpgradeProviderName = (typeof upgradeProviders)[number];

/** Undefined: there is no provider of this name. */
export const upgradeProviderNamed = (name: string | undefined): UpgradeProviderName | undefined =>
  upgradeProviders.find((provider) => provider === name);
