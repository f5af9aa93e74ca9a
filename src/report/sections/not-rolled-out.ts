import { placementKey } from '../../api/placement.ts';
import type { PlannedPlacement } from '../../engine/plan-document.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { titleOf } from '../../repo/title-of.ts';
import { runToAdd } from '../run-to-add.ts';
import { type Item, type SectionSource, todoList } from './section.ts';

export const notRolledOut: SectionSource = ({ notRolledOut: all, inEffect }) => {
  const listed = inEffectOnly(all, inEffect.placements);
  const toAdd = runToAdd(listed);
  return todoList('Not rolled out', notRolledOutItems(listed), {
    intro: `These placements are External: a staged update run rolls out what is missing${toAdd === undefined ? '' : `; ${toAdd}`}`,
  });
};

/** A placement that is not in effect yet is listed once it is. */
export function inEffectOnly(all: readonly NotRolledOut[], placements: readonly PlannedPlacement[]): NotRolledOut[] {
  const known = new Set(placements.map(placementKey));
  return all.filter(({ placement }) => known.has(placementKey(placement)));
}

export const notRolledOutItems = (all: readonly NotRolledOut[]): Item[] =>
  all.map(({ placement, why }) => ({ line: [{ bold: titleOf(placement) }, `: ${why}`] }));
