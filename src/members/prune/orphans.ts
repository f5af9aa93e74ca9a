import type { Manifest } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import { placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';
import { inWaves } from '../apply/waves.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Connection } from '../connection.ts';
import { eachOf } from '../pool.ts';
import { removeObject } from './remove-object.ts';

/**
 * Orphaned objects of a placement on the member: objects with our label that an earlier snapshot of the placement listed. Other
 * objects with the label are never included.
 */
export function orphansOf({ watches }: Connection, assignment: PlacementAssignment): Manifest[] {
  const keep = new Set(assignment.remove ? [] : assignment.manifests.map(({ manifest }) => keyOfManifest(manifest)));
  const candidates = new Map(assignment.prunable.map((ref) => [objectKey(ref), ref]));
  return [...candidates.keys()]
    .filter((key) => !keep.has(key))
    .sort()
    .flatMap((key) => watches.inAnyVersion(candidates.get(key)!) ?? [])
    .filter((object) => object.metadata.labels?.[placementLabel] === assignment.label);
}

/**
 * Removes orphaned objects in the reverse order of apply, so that dependents go first. Calls `between` with the objects whose
 * removal was requested in a wave, before the next wave. Returns failures; rejects as `removeObject` does.
 */
export async function removeOrphans(input: {
  readonly connection: Connection;
  readonly assignment: PlacementAssignment;
  readonly isWanted: () => boolean;
  /** Whether an object may be removed now; others stay without a report. */
  readonly mayRemove: (live: Manifest) => boolean;
  readonly between?: (wave: readonly Manifest[]) => Promise<void>;
}): Promise<ObjectOutcome[]> {
  const { connection, assignment, isWanted } = input;
  const troubles: ObjectOutcome[] = [];
  const listed = new Set(assignment.prunable.map(objectKey));
  const approved = new Set(assignment.approvedRemovals.map(objectKey));
  const handedOver = new Set(assignment.handedOver.map(objectKey));
  const waves = inWaves(orphansOf(connection, assignment).filter(input.mayRemove), (object) => object).reverse();
  for (const [index, wave] of waves.entries()) {
    const asked: Manifest[] = [];
    await eachOf(
      wave,
      connection.client.concurrency,
      async (live) => {
        const trouble = await removeObject(connection, live, {
          label: assignment.label,
          isListed: (object) => listed.has(keyOfManifest(object)),
          withContent: approved.has(keyOfManifest(live)),
          releaseOnly: handedOver.has(keyOfManifest(live)),
          isWanted,
        });
        if (trouble) troubles.push(trouble);
        else if (!handedOver.has(keyOfManifest(live))) asked.push(live);
      },
      isWanted,
    );
    if (index < waves.length - 1) await input.between?.(asked);
  }
  return troubles;
}
