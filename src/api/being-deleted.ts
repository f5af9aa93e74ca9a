import { type Issue, warning } from './issue.ts';
import type { FleetObject } from './kinds.ts';
import { abandons, isPlacement } from './placement.ts';

/** Kinds that KubeFleet cleans up after when they go: their finalizers keep them in sight, with a deletionTimestamp, meanwhile. */
const cleanedUpAfter: ReadonlySet<string> = new Set([
  'ClusterResourcePlacement',
  'ResourcePlacement',
  'ClusterResourceOverride',
  'ResourceOverride',
  'ClusterStagedUpdateRun',
  'StagedUpdateRun',
]);

/** Whether the object was written while it was being deleted: then it is gone, but for what a placement says becomes of what it holds. */
export const isBeingDeleted = ({ kind, metadata }: FleetObject): boolean =>
  cleanedUpAfter.has(kind) && metadata?.deletionTimestamp != null;

/** Copied from a hub at a bad moment, such a file would remove things without a word. */
export function deletionIssues(object: FleetObject): Issue[] {
  if (!isBeingDeleted(object)) return [];
  return [
    warning(
      'being-deleted',
      ['metadata', 'deletionTimestamp'],
      `it is being deleted and counts as gone${consequence(object)}`,
      // A file that goes in the same commit says nothing: then the deleteStrategy that was planned with last is what counts.
      isPlacement(object)
        ? 'remove deletionTimestamp to keep it; the file may go when this commit has been planned'
        : 'remove deletionTimestamp to keep it, or remove the file',
    ),
  ];
}

function consequence(object: FleetObject): string {
  if (!isPlacement(object)) return '';
  return abandons(object)
    ? ', and what it holds stays where it is (deleteStrategy Abandon)'
    : ', and what it holds is removed from its clusters';
}
