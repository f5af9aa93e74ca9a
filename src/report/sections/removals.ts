import { listUpTo } from '../../engine/kernel/short-list.ts';
import { removalTargets } from '../../engine/target-kinds.ts';
import { titleOf } from '../../repo/title-of.ts';
import { list, mostRows, type SectionSource } from './section.ts';

/** Also removals of deleted placements, which no other section names. What a removal waits for is among the holds. */
export const beingRemoved: SectionSource = ({ inEffect: { targets } }) => {
  const removals = Map.groupBy(removalTargets(targets), ({ placement }) => titleOf(placement));
  const items = [...removals].map(([title, from]) => {
    const names = from.map(({ clusterName }) => clusterName);
    return { line: [{ bold: title }, ` from ${listUpTo(names, mostRows)}`] };
  });
  return list('Being removed', items);
};
