import type { Hold } from '../plan-document.ts';

/** A hold until an upgrade of the cluster ends. `what`: `eu-1 is updated`. */
export const upgradingHold = (what: string, run: string): Pick<Hold, 'reason' | 'message'> => ({
  reason: 'ClusterUpgrading',
  message: `${what} once the upgrade by run ${run} ends`,
});
