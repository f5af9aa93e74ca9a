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
  ['3085', 'a member that came back was given the older version by a daemon that had not read the newer plan'],
  [
    '20201',
    'a daemon that had not read the latest record wrote a deleted status branch anew, and put an old version back',
  ],
  ['3214', 'what an older version on its way came to was told of the newer one'],
  ['5329', 'a confirmation that an object was old was used for a newer one'],
  ['5527', 'an apply that failed brought back what the cluster before a replacement had shown'],
  ['5558', 'a namespace was removed with an object that carried our label but was nobody’s to remove'],
  ['10669', 'of two versions that members held when the record was lost the older stood for a broken file'],
  ['5852', 'a cluster that took the place of another had its uid, and was taken for the old one'],
  [
    '20606',
    'people were made to say yes to the removal of what is not ours while a plan was refused for something else',
  ],
  ['60053', 'a namespace with an object that somebody had taken our label off stayed, as it should'],
  [
    '100617',
    'a placement whose file was broken when the record was lost came to all its clusters at once when it was mended',
  ],
  ['50086', 'a binding on a cluster that had left waited for ever for a budget'],
];
