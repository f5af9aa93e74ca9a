import type { ObjectRef } from '../../api/meta.ts';
import { objectKey, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import type { Assignment } from '../assignment.ts';
import type { Connection } from '../connection.ts';
import { eachOf } from '../pool.ts';
import { kindKey } from './watches.ts';

/** One reference for each kind and version that an assignment applies or may remove. */
export function kindsOf({ manifests, prunable }: Assignment): ReadonlyMap<string, ObjectRef> {
  const kinds = new Map<string, ObjectRef>();
  for (const ref of prunable) kinds.set(kindKey(ref), ref);
  for (const { manifest } of manifests) kinds.set(kindKey(manifest), refOfManifest(manifest));
  return kinds;
}

/** The objects of one kind and version that assignments apply or may remove. */
export function namedBy(assignments: readonly Assignment[], kind: ServedKind): readonly ObjectRef[] {
  const named = new Map<string, ObjectRef>();
  for (const { manifests, prunable } of assignments) {
    const refs = [...prunable, ...manifests.map(({ manifest }) => refOfManifest(manifest))];
    for (const ref of refs) if (kindKey(ref) === kindKey(kind)) named.set(objectKey(ref), ref);
  }
  return [...named.values()];
}

/**
 * Watches every kind of an assignment, so that what is there is known before anything is sent. A kind that the member does
 * not serve has no watch. False when a group answered with an error, which costs its own objects only: what there is of its
 * kinds is not known. Rejects with UnreachableError.
 */
export async function followKinds(
  { discovery, watches, client }: Connection,
  assignment: Assignment,
): Promise<boolean> {
  let complete = true;
  await eachOf([...kindsOf(assignment).values()], client.concurrency, async ({ apiVersion, kind }) => {
    try {
      const served = await discovery.find(apiVersion, kind);
      if (served) await watches.follow(served);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      complete = false;
    }
  });
  return complete;
}
