import type { GroupUpgrade, StageUpgrade } from '../../api/upgrade-status.ts';
import type { UpgradeGroup, UpgradeStage } from '../../api/upgrade-strategy.ts';
import { scale } from '../kernel/int-or-percent.ts';

/** AKS Fleet updates at most this many members of a stage at once, and as many where a stage says nothing. */
const mostInStage = 50;

/** Where a file says nothing (AKS Fleet). */
export const defaultLimits = {
  stage: { maxConcurrency: String(mostInStage), maxAllowedFailures: '0' },
  group: { maxConcurrency: '1', maxAllowedFailures: '0' },
} as const;

/** The concurrency of a stage with so many members in all of its groups. Percentages round down, at least 1. */
export const stageConcurrency = (
  { maxConcurrency = defaultLimits.stage.maxConcurrency }: UpgradeStage,
  members: number,
): number => Math.min(mostInStage, atLeastOne(scale(maxConcurrency, members, 'down')));

/** The concurrency of a group: never above that of its stage, nor its size. */
export const groupConcurrency = (
  { maxConcurrency = defaultLimits.group.maxConcurrency }: Pick<UpgradeGroup, 'maxConcurrency'>,
  { members, stageMax }: { readonly members: number; readonly stageMax: number },
): number => atLeastOne(Math.min(stageMax, members, scale(maxConcurrency, members, 'down')));

/** How many members of a scope may fail: it fails with one more. Percentages round up. */
export const allowedFailures = (
  { maxAllowedFailures = defaultLimits.group.maxAllowedFailures }: Pick<UpgradeGroup, 'maxAllowedFailures'>,
  members: number,
): number => scale(maxAllowedFailures, members, 'up');

/** The stage with its limits as numbers. Failure limits stay as they are once it started; concurrency follows its members. */
export function withLimits(stage: StageUpgrade, config: UpgradeStage): StageUpgrade {
  const sizes = stage.groups.map(sizeOf);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const stageMax = stageConcurrency(config, all);
  const isFixed = stage.status.startTime !== undefined;
  const failures = (of: UpgradeGroup | UpgradeStage, members: number, before: number): number =>
    isFixed ? before : allowedFailures(of, members);
  return {
    ...stage,
    maxConcurrency: stageMax,
    maxAllowedFailures: failures(config, all, stage.maxAllowedFailures),
    groups: stage.groups.map((group, at): GroupUpgrade => {
      // The one group of a stage without groups has the limits of the stage.
      const of = config.groups?.[at];
      const members = sizes[at]!;
      return {
        ...group,
        maxConcurrency: groupConcurrency(of ?? { maxConcurrency: String(stageMax) }, { members, stageMax }),
        maxAllowedFailures: failures(of ?? config, members, group.maxAllowedFailures),
      };
    }),
  };
}

/** Members that left the fleet do not count. */
export const sizeOf = ({ members }: GroupUpgrade): number =>
  members.filter(({ status }) => status.error?.code !== 'MemberGone').length;

const atLeastOne = (count: number): number => Math.max(1, count);
