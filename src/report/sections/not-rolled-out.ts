import { placementKey } from '../../api/placement.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { titleOf } from '../../repo/title-of.ts';
import { runToAdd } from '../run-to-add.ts';
import { type Item, type SectionSource, todoList } from './section.ts';

/** A placement that is not in effect yet is listed once it is. */
export const notRolledOut: SectionSource = ({ notRolledOut: all, inEffect }) => {
  const known = new Set(inEffect.placements.map(placementKey));
  const listed = all.filter(({ placement }) => known.has(placementKey(placement)));
  const toAdd = runToAdd(listed.map(({ placement }) => placement));
  return todoList('Not rolled out', notRolledOutItems(listed), {
    intro: `These placements are External: a staged update run rolls out what is missing; ${toAdd}`,
  });
};

export const notRolledOutItems = (all: readonly NotRolledOut[]): Item[] =>
  all.map(({ placement, why }) => ({ line: [{ bold: titleOf(placement) }, `: ${why}`] }));
