/** Seeds that found something, and what it was. They are run every time. */
export const knownSeeds: readonly (readonly [seed: string, found: string])[] = [
  ['42', 'a slow apply during which the next pass assigned the same was never reported as done'],
  ['1', 'a request that hung left a member without any outcome'],
  ['10', 'two daemons undid each other’s work at full speed until both had read the same plan'],
  ['35', 'a daemon cut off from git put back the version that another had replaced'],
  ['55', 'a daemon that had just started put back what another had replaced while it read the record'],
  ['12', 'two daemons rewrote the date of a member’s health by turns for ever'],
  ['49', 'a removal that a kill had cut short was forgotten'],
  ['1129', 'a record rebuilt from members that held two versions put the older one on all of them'],
  ['50086', 'a binding on a cluster that had left waited for ever for a budget'],
];
