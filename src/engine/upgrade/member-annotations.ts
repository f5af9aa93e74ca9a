/** An annotation of members: who upgrades them. Without one nothing does. */
export const providerAnnotation = 'gitfleet.dev/upgrade-provider';

/** An annotation of members: what their upgrade provider calls them. */
export const referenceAnnotation = 'gitfleet.dev/upgrade-ref';

/** Values of that annotation. */
export const upgradeProviders: readonly string[] = ['cluster-api', 'aks', 'system-upgrade-controller', 'simulated'];
