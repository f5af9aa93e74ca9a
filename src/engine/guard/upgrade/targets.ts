import type { GuardFinding, Plan } from '../../plan-document.ts';
import { upgradeTargets as targetsOfUpgrades } from '../../target-kinds.ts';
import { inFlightIn, type UpgradeChange } from './upgrade-changes.ts';

/** A cluster has one operation at a time, and a target exactly while a run has one in flight there. */
export function upgradeTargets(changes: readonly UpgradeChange[], { targets }: Plan): GuardFinding[] {
  const asked = new Map<string, string>();
  const findings: GuardFinding[] = [];
  const add = (message: string) => findings.push({ rule: 'upgrade-target', message });
  for (const { name, status } of changes)
    for (const member of status.stages.flatMap(inFlightIn)) {
      if (asked.has(member.name))
        add(`run ${name} would upgrade ${member.name} while another operation is in flight there`);
      asked.set(member.name, member.operationId ?? '');
    }
  const upgrades = targetsOfUpgrades(targets);
  for (const { clusterName, upgrade } of upgrades)
    if (asked.get(clusterName) !== upgrade.operationId)
      add(`operation ${upgrade.operationId} on ${clusterName} is not one that a run has in flight`);
  if (upgrades.length !== asked.size)
    add(`${asked.size} operations are in flight, and ${upgrades.length} have a target`);
  return findings;
}
