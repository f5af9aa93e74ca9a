import { z } from 'zod';

/** Fields that several kinds of cluster upgrades share, with the patterns of AKS Fleet's REST API. */

export const upgradeType = z.enum(['Full', 'ControlPlaneOnly', 'NodeImageOnly']);
/** Full: control plane, pools and their images. ControlPlaneOnly leaves pools. NodeImageOnly leaves Kubernetes versions. */
export type UpgradeType = z.output<typeof upgradeType>;

export const weekday = z.enum(['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']);
export type Weekday = z.output<typeof weekday>;

/** Labels as Kubernetes writes them in one line; `parseSelector` reads them. */
export const memberSelector = z.strictObject({ byLabel: z.string().max(512) });
