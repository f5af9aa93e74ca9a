import { placementKey } from '../../api/placement.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { titleOf } from '../../repo/title-of.ts';
import { type Item, type SectionSource, todoList } from './section.ts';

/** A placement that is not in effect yet is listed once it is. */
export const notRolledOut: SectionSource = ({ notRolledOut: all, inEffect }) => {
  const known = new Set(inEffect.placements.map(placementKey));
  return todoList(
    'Not rolled out',
    notRolledOutItems(all.filter(({ placement }) => known.has(placementKey(placement)))),
    {
      intro: 'These placements are External: start a staged update run to roll out what is missing.',
    },
  );
};

export const notRolledOutItems = (all: readonly NotRolledOut[]): Item[] =>
  all.map(({ placement, why }) => ({ line: [{ bold: titleOf(placement) }, `: ${why}`] }));
