import type { FleetObject } from '../../api/kinds.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { nearest } from '../../api/syntax.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { fieldWarning } from './field-warning.ts';
import { fleetRowOf, objectsOf } from './kinds/rows.ts';
import { namesIn, type Reference } from './names.ts';

/**
 * References to objects that the repo does not have: warnings, since the object may come with a later commit. None where an
 * unreadable file may define it, nor after the record shows that it was found once. The engine waits for such references without a
 * message, so these warnings report misspelt ones.
 */
export function danglingReferences(fleet: Fleet, record: FleetRecord): Problem[] {
  if (fleet.unreadable.length > 0) return [];
  return dangling(fleet).flatMap(({ from, problem }) =>
    fleetRowOf(from).hasFoundAll?.(from.metadata, record) ? [] : [problem],
  );
}

/** Those of some objects of a fleet. */
export const danglingOf = (fleet: Fleet, objects: readonly FleetObject[]): Problem[] =>
  fleet.unreadable.length > 0
    ? []
    : dangling(fleet).flatMap(({ from, problem }) => (objects.includes(from) ? [problem] : []));

/** Computed once for each commit. */
const dangling = memoize((fleet: Fleet): readonly { readonly from: NamedObject; readonly problem: Problem }[] =>
  references(fleet).flatMap(({ from, path, kind, namespace, name, among, kindMeant, without }) => {
    if (among.has(name)) return [];
    if (fleet.refused.some((ref) => ref.kind === kind && ref.namespace === namespace && ref.name === name)) return [];
    const like = kindMeant ?? nearest(name, [...among]);
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
    const why = `there is no ${kind} ${name}${where} in this repo${without === undefined ? '' : `, ${without}`}`;
    const fix = like && `did you mean ${like}?`;
    return [
      {
        from,
        problem: fieldWarning(
          fleet,
          { kind: from.kind, ...from.metadata },
          { code: 'dangling-reference', path, why, fix },
        ),
      },
    ];
  }),
);

/** Every name of another object in the objects of the fleet. */
function references(fleet: Fleet): (Reference & { readonly from: NamedObject })[] {
  const names = namesIn(fleet);
  return (objectsOf(fleet) as readonly NamedObject[]).flatMap((from) =>
    (fleetRowOf(from).references?.(from, names) ?? []).map((reference) => ({ ...reference, from })),
  );
}

type NamedObject = FleetObject & { readonly metadata: ObjectMeta };
