import { parseInstant } from '../../kernel/instant.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { labelsOfMember } from '../evidence/members.ts';
import { activeFreeze } from '../fleet/freeze-windows.ts';
import { mayStart } from './maintenance.ts';
import type { UpgradeChange } from './upgrade-changes.ts';

/** No operation starts outside the windows of its member, nor in a freeze. */
export function startsAtTheWrongTime({ name, starts }: UpgradeChange, evidence: Evidence): GuardFinding[] {
  if (starts.length === 0) return [];
  const { fleet } = evidence;
  const now = parseInstant(evidence.now) ?? 0;
  const freeze = activeFreeze(fleet, now);
  return starts.flatMap(({ member }): GuardFinding[] => {
    const start = `run ${name} would start the upgrade of ${member.name}`;
    const who = { name: member.name, labels: labelsOfMember(member.name, evidence) };
    const isOpen = mayStart(fleet.maintenanceConfigurations, who, { type: member.type ?? 'Full', now });
    return [
      ...(freeze !== undefined
        ? [{ rule: 'frozen' as const, message: `${start} while freeze ${freeze} is active` }]
        : []),
      ...(isOpen
        ? []
        : [{ rule: 'upgrade-outside-window' as const, message: `${start} outside its maintenance windows` }]),
    ];
  });
}
