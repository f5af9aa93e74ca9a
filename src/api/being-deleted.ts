import { type Issue, warning } from './issue.ts';
import { type FleetObject, kindOf } from './kinds.ts';

/** Whether the object was written while it was being deleted: then it is gone, but for what a placement says becomes of what it holds. */
export const isBeingDeleted = (object: FleetObject): boolean =>
  kindOf(object).whenDeleted !== undefined && object.metadata?.deletionTimestamp != null;

/** Copied from a hub at a bad moment, such a file would remove things without a word. */
export function deletionIssues(object: FleetObject): Issue[] {
  if (!isBeingDeleted(object)) return [];
  const { consequence, fix } = kindOf(object).whenDeleted!(object);
  const message = `it is being deleted and counts as removed${consequence}`;
  return [warning('being-deleted', ['metadata', 'deletionTimestamp'], message, fix)];
}
