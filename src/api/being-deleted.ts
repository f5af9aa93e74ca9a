import { type Issue, warning } from './issue.ts';
import type { FleetObject } from './kinds.ts';

/** Kinds that KubeFleet cleans up after when they go: their finalizers keep them in sight, with a deletionTimestamp, meanwhile. */
const cleanedUpAfter: ReadonlySet<string> = new Set([
  'ClusterResourcePlacement',
  'ResourcePlacement',
  'ClusterResourceOverride',
  'ResourceOverride',
  'ClusterStagedUpdateRun',
  'StagedUpdateRun',
]);

/** Whether the object was written while it was being deleted: then the fleet does as if its file were gone. */
export const isBeingDeleted = ({ kind, metadata }: FleetObject): boolean =>
  cleanedUpAfter.has(kind) && metadata?.deletionTimestamp != null;

/** Copied from a hub at a bad moment, such a file would remove things without a word. */
export function deletionIssues(object: FleetObject): Issue[] {
  if (!isBeingDeleted(object)) return [];
  return [
    warning(
      'being-deleted',
      ['metadata', 'deletionTimestamp'],
      `this ${object.kind} is being deleted: it counts as gone`,
      'remove deletionTimestamp to keep it, or remove the file',
    ),
  ];
}
