import type { StageUpgrade } from '../../api/upgrade-status.ts';
import { shortList } from '../kernel/short-list.ts';
import { isInFlight } from './tree.ts';

/** How many members of a stage may still be started, while some are: of each group, and of all together. */
export interface Slots {
  readonly isFree: (groupAt: number) => boolean;
  readonly take: (groupAt: number) => void;
  /** Takes a slot for a member whose window opens soon. */
  readonly reserve: (groupAt: number, member: string) => void;
  /** For whom slots are kept that a group could use; empty = for none. */
  readonly reservedFor: (groupAt: number) => string;
}

export function openSlots({ groups, maxConcurrency }: StageUpgrade): Slots {
  const used = groups.map(({ members }) => members.filter(isInFlight).length);
  const reserved: { readonly groupAt: number; readonly member: string }[] = [];
  let all = used.reduce((sum, count) => sum + count, 0);
  const take = (groupAt: number): void => {
    used[groupAt]!++;
    all++;
  };
  return {
    isFree: (groupAt) => used[groupAt]! < groups[groupAt]!.maxConcurrency && all < maxConcurrency,
    take,
    reserve(groupAt, member) {
      take(groupAt);
      reserved.push({ groupAt, member });
    },
    // A slot that another group reserved matters only where the stage has no other.
    reservedFor: (groupAt) =>
      shortList(reserved.filter((it) => it.groupAt === groupAt || all >= maxConcurrency).map(({ member }) => member)),
  };
}
