/**
 * Values of the annotation `gitfleet.dev/upgrade-provider`. A further one does not compile without its rights on members, its launcher
 * and its mode for nodes.
 */
export const upgradeProviders = ['cluster-api', 'aks', 'system-upgrade-controller', 'simulated'] as const;

export type UpgradeProviderName = (typeof upgradeProviders)[number];
