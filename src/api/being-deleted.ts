import { type Issue, warning } from './issue.ts';
import { type FleetObject, kindOf } from './kinds.ts';

/** Whether the object was exported while it was being deleted. It counts as gone; only the deleteStrategy of a placement still counts. */
export const isBeingDeleted = (object: FleetObject): boolean =>
  kindOf(object).whenDeleted !== undefined && object.metadata?.deletionTimestamp != null;

/** Reports such objects: a file copied from a hub during a deletion would remove things without a message. */
export function deletionIssues(object: FleetObject): Issue[] {
  if (!isBeingDeleted(object)) return [];
  const { consequence, fix } = kindOf(object).whenDeleted!(object);
  const message = `it is being deleted and counts as removed${consequence}`;
  return [warning('being-deleted', ['metadata', 'deletionTimestamp'], message, fix)];
}
