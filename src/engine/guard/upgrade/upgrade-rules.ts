import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { blockedStarts } from './blocked.ts';
import { tooManyUpgrades } from './concurrency.ts';
import { downgrades } from './downgrades.ts';
import { unpassedGates } from './gates.ts';
import { startsOutOfOrder } from './run-order.ts';
import { startsAtTheWrongTime } from './start-times.ts';
import { upgradeTargets } from './targets.ts';
import { upgradeChanges } from './upgrade-changes.ts';

/** Clusters are upgraded in order, within limits and windows, one operation each, not against what blocks it, nor to an older version. */
export const upgradeRules: RuleSet = (evidence: Evidence) => {
  const changes = upgradeChanges(evidence);
  return [
    ...upgradeTargets(changes, evidence.plan),
    ...changes.flatMap((change) => [
      ...startsAtTheWrongTime(change, evidence),
      ...startsOutOfOrder(change, evidence),
      ...tooManyUpgrades(change),
      ...blockedStarts(change, evidence),
      ...downgrades(change, evidence),
      ...unpassedGates(change, evidence),
    ]),
  ];
};
