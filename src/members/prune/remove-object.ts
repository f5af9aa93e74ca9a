import type { Manifest } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import { digestAnnotation, placementAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { describeRef, refOfManifest } from '../../engine/selection/object-key.ts';
import { ApiError } from '../api-server/api-error.ts';
import type { Request } from '../api-server/request-queue.ts';
import { pathOf, type ServedKind } from '../api-server/served-kind.ts';
import { fieldManager } from '../apply/field-managers.ts';
import { foreignOwner } from '../apply/takeover.ts';
import type { Connection } from '../connection.ts';
import { foreignContent } from './foreign-content.ts';

/** Attempts when the object changes between read and removal; after them the actor backs off. */
const mostAttempts = 3;

/**
 * Removes one object of ours: only in the state in which it was found to be ours, and not while it has foreign content unless
 * `withContent` (KubeFleet work applier, garbage collection of left-overs). An object with other owners, or that another placement
 * selects, is only released. Undefined when it is gone, being deleted, or no longer ours. Rejects when no response comes, or when
 * it must stay by the time the request could be sent.
 */
export async function removeObject(
  connection: Connection,
  seen: Manifest,
  {
    label,
    isListed,
    withContent,
    releaseOnly,
    isWanted,
  }: {
    readonly label: string;
    /** Whether a snapshot of the placement lists it. Users may have copied a manifest with our label. */
    readonly isListed: (object: Manifest) => boolean;
    readonly withContent: boolean;
    /** Another placement selects it: only our label and annotation are removed. */
    readonly releaseOnly: boolean;
    /** Whether it must still be removed: checked after the queue and after a `Retry-After`. */
    readonly isWanted: () => boolean;
  },
): Promise<ObjectOutcome | undefined> {
  const object = refOfManifest(seen);
  const isOurs = (item: Manifest): boolean => item.metadata.labels?.[placementLabel] === label && isListed(item);
  const failed = (message: string): ObjectOutcome => ({ object, result: 'ManifestDeleteFailed', message });
  try {
    const served = await connection.discovery.find(object.apiVersion, object.kind);
    if (!served) return undefined;
    for (let live: Manifest | undefined = seen, attempt = 1; ; attempt++) {
      if (!live || live.metadata.deletionTimestamp || live.metadata.labels?.[placementLabel] !== label)
        return undefined;
      const released = releaseOnly || foreignOwner(live) !== undefined;
      const foreign = withContent || released ? undefined : await foreignContent(connection, live, isOurs);
      if (foreign !== undefined) return { object, result: 'ContainsForeignObjects', message: foreign };
      try {
        await connection.client.send({ ...(released ? release : remove)(served, live), isWanted });
        connection.watches.touched(object);
        return undefined;
      } catch (error) {
        // 409: it changed since the read, and may be another object.
        if (!(error instanceof ApiError && error.status === 409 && attempt < mostAttempts)) throw error;
        live = await read(connection, served, live);
        // It was applied again, perhaps by another daemon with a newer plan: the whole placement must be checked.
        if (digestOf(live) !== digestOf(seen)) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status === 404 ? undefined : failed(error.message);
  }
}

function remove(served: ServedKind, live: Manifest): Request {
  const { uid, resourceVersion } = live.metadata;
  const ref = refOfManifest(live);
  return {
    method: 'DELETE',
    path: pathOf(served, ref),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Background',
      preconditions: { uid, resourceVersion },
    }),
    tried: `delete ${describeRef(ref)}`,
  };
}

/** Removes our label and annotation from the object. */
function release(served: ServedKind, live: Manifest): Request {
  const ref = refOfManifest(live);
  const { resourceVersion } = live.metadata;
  return {
    method: 'PATCH',
    path: `${pathOf(served, ref)}?${new URLSearchParams({ fieldManager })}`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({
      metadata: {
        resourceVersion,
        labels: { [placementLabel]: null },
        annotations: { [placementAnnotation]: null, [digestAnnotation]: null },
      },
    }),
    tried: `release ${describeRef(ref)}`,
  };
}

const digestOf = ({ metadata }: Manifest): string | undefined => metadata.annotations?.[digestAnnotation];

async function read({ client }: Connection, served: ServedKind, live: Manifest): Promise<Manifest> {
  const ref = refOfManifest(live);
  return client.object({ method: 'GET', path: pathOf(served, ref), tried: `read ${describeRef(ref)}` });
}
