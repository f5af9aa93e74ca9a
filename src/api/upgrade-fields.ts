import { z } from 'zod';

/** Fields that several kinds of cluster upgrades share, with the patterns of AKS Fleet's REST API. */

export const upgradeType = z.enum(['Full', 'ControlPlaneOnly', 'NodeImageOnly']);
/** Full: control plane, pools and their images. ControlPlaneOnly leaves pools. NodeImageOnly leaves Kubernetes versions. */
export type UpgradeType = z.output<typeof upgradeType>;

export const weekday = z.enum(['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']);
export type Weekday = z.output<typeof weekday>;

/** Labels as Kubernetes writes them in one line; `parseSelector` reads them. */
export const memberSelector = z.strictObject({ byLabel: z.string().max(512) });

/**
 * Values of the annotation `gitfleet.dev/upgrade-provider`. A further one does not compile without its rights on members, its launcher
 * and its mode for nodes.
 */
export const upgradeProviders = ['cluster-api', 'aks', 'system-upgrade-controller', 'simulated'] as const;

export type UpgradeProviderName = (typeof upgradeProviders)[number];
