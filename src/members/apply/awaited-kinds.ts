import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { Connection } from '../connection.ts';
import { defines, progressOf } from '../crd.ts';
import { longestWaitMs, type ObjectWait } from '../object-wait.ts';
import { kindKey } from '../watch/watches.ts';

/** A server serves a kind a moment after it established the CRD, and no watch shows when. Milliseconds. */
const discoveryMs = 1_000;

/**
 * Waits until the member serves the kinds that CRDs of the same placement define, at most 30 s in all. It does not wait for a CRD
 * that failed to apply or whose names are taken. Rejects with UnreachableError.
 */
export async function untilServed(
  connection: Connection,
  wait: ObjectWait,
  of: {
    readonly objects: readonly ObjectRef[];
    /** CRDs of the placement that are applied. */
    readonly definitions: readonly Manifest[];
    readonly isWanted: () => boolean;
  },
): Promise<void> {
  const endMs = connection.clock.now() + longestWaitMs;
  for (const object of new Map(of.objects.map((ref) => [kindKey(ref), ref])).values()) {
    const definition = of.definitions.find((manifest) => defines(manifest, object));
    if (definition) await one(connection, wait, { object, definition, endMs, isWanted: of.isWanted });
  }
}

async function one(
  { clock, discovery, watches }: Connection,
  wait: ObjectWait,
  of: {
    readonly object: ObjectRef;
    readonly definition: Manifest;
    readonly endMs: number;
    readonly isWanted: () => boolean;
  },
): Promise<void> {
  const { apiVersion, kind } = of.object;
  const progress = () => progressOf(watches.object(refOfManifest(of.definition)));
  const isMoot = () => !of.isWanted() || progress() === 'refused';
  try {
    while (!(await discovery.find(apiVersion, kind))) {
      const leftMs = of.endMs - clock.now();
      if (leftMs <= 0 || isMoot()) return;
      if (progress() === 'established') await wait.until(isMoot, Math.min(discoveryMs, leftMs));
      else await wait.until(() => isMoot() || progress() === 'established', leftMs);
      discovery.forget(apiVersion);
    }
  } catch (error) {
    // The apply reports why the kinds of the group cannot be read.
    if (!(error instanceof ApiError)) throw error;
  }
}
