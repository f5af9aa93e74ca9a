import type { GroupUpgrade } from '../../../api/upgrade-status.ts';
import type { GuardFinding } from '../../plan-document.ts';
import { inFlightIn, isInFlight, type UpgradeChange } from './upgrade-changes.ts';

/** No more members of a stage or group are in flight than its strategy allows; percentages round down, at least 1, a stage at most 50. */
export function tooManyUpgrades({ name, starts, status, before, after }: UpgradeChange): GuardFinding[] {
  if (starts.length === 0) return [];
  return status.stages.flatMap((stage, at) => {
    const config = after.spec.strategy?.stages[at];
    const known = before?.status?.stages[at];
    const size = stage.groups.reduce((sum, group) => sum + sizeOf(group), 0);
    const most = Math.min(50, numberOf(config?.maxConcurrency ?? '50', size));
    const all = inFlightIn(stage).length;
    return [
      ...(all > Math.max(most, known ? inFlightIn(known).length : 0)
        ? [tooMany(`stage ${stage.name}`, name, most)]
        : []),
      ...stage.groups.flatMap((group, index) => {
        const own = config?.groups?.length ? (config.groups[index]?.maxConcurrency ?? '1') : String(most);
        const limit = Math.min(most, numberOf(own, sizeOf(group)));
        const inFlight = group.members.filter(isInFlight).length;
        return inFlight > Math.max(limit, known?.groups[index]?.members.filter(isInFlight).length ?? 0)
          ? [tooMany(`group ${group.name}`, name, limit)]
          : [];
      }),
    ];
  });
}

const tooMany = (scope: string, run: string, most: number): GuardFinding => ({
  rule: 'upgrade-concurrency',
  message: `run ${run} would upgrade more than ${most} members of ${scope} at once`,
});

/** Members that left do not count. */
const sizeOf = ({ members }: GroupUpgrade): number =>
  members.filter(({ status }) => !(status.state === 'Skipped' && status.error?.code === 'MemberGone')).length;

const numberOf = (value: string, size: number): number =>
  Math.max(1, value.endsWith('%') ? Math.floor((Number(value.slice(0, -1)) * size) / 100) : Number(value));
