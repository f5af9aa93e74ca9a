import { z } from 'zod';

/** `upgrades` of a FleetConfig. */
export const upgradeSettings = z.strictObject({
  /** A cluster with an upgrade in flight uses up the budgets of its placements. */
  countsAsUnavailable: z.boolean().default(true),
});
export const defaultUpgradeSettings = upgradeSettings.parse({});
