import { duplicates } from './duplicates.ts';
import type { IssueAt } from './issue.ts';
import { type FleetObject, fleetKinds } from './kinds.ts';

/** Rules over several objects: unique names, and the rules of each kind over all its objects. */
export function validateAcross(objects: readonly FleetObject[]): IssueAt[] {
  const byKind = Map.groupBy(
    objects.map((object, index) => ({ object, index })),
    ({ object }) => object.kind,
  );
  return [
    ...duplicates(objects),
    ...fleetKinds.flatMap((row) => row.across?.(byKind.get(row.kind) ?? [], objects) ?? []),
  ];
}
